"""Ties the grader to one processor.

Loot: a slow grader
Stopped by: namespaces, seccomp
"""

attempt(lambda: loot("pinned") if os.sched_setaffinity(GRADER, {0}) is None else 0)
