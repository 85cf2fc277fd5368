"""Changes a file's times (Landlock does not cover it).

Loot: a submission that was in time
Stopped by: namespaces, seccomp
"""

attempt(os.utime, VICTIM, (0, 0))
