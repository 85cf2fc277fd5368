"""Asks for the size of the gradebook; Landlock covers no stat.

Loot: sizes, times and names of files
Stopped by: namespaces
Level B: open
"""

attempt(lambda: loot(os.stat(GRADEBOOK).st_size))
