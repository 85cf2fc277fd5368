"""Removes the grader's files.

Loot: the course, gone
Stopped by: namespaces, landlock
"""

attempt(os.unlink, VICTIM)
