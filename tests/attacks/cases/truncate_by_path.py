"""Empties a file by its path.

Loot: a gradebook without rows
Stopped by: namespaces, landlock, seccomp
"""

attempt(os.truncate, VICTIM, 0)
