"""Renames the grader's files.

Loot: a gradebook that is not found
Stopped by: namespaces, landlock
"""

attempt(os.rename, VICTIM, VICTIM + ".away")
