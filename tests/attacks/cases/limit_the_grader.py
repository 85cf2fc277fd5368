"""Lowers a limit of the grader's.

Loot: a grader that fails
Stopped by: namespaces, seccomp
"""

import resource

attempt(lambda: loot("limited", resource.prlimit(GRADER, resource.RLIMIT_CORE, (0, 0))))
