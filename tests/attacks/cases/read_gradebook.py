"""Reads the gradebook.

Loot: everybody's points
Stopped by: namespaces, landlock
"""

attempt(lambda: loot(open(GRADEBOOK).read()))
