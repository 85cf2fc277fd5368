"""Writes into the gradebook.

Loot: points of one's own choice
Stopped by: namespaces, landlock
"""

attempt(lambda: open(GRADEBOOK, "r+").write("100 points"))
