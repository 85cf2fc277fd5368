"""Gives the grader a lower priority.

Loot: more time
Stopped by: namespaces, seccomp
"""

attempt(lambda: loot("slower") if os.setpriority(os.PRIO_PROCESS, GRADER, 1) is None else 0)
