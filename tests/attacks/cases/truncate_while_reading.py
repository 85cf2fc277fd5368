"""Empties a file through a descriptor that may only read (old Landlock lets it).

Loot: an empty file of the grader's
Stopped by: namespaces, landlock, seccomp
"""

attempt(os.open, VICTIM, os.O_RDONLY | os.O_TRUNC)
