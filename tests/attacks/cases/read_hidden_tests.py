"""Reads the hidden tests from the disk.

Loot: the expected values
Stopped by: namespaces, landlock
"""

attempt(lambda: loot(open(TESTS).read()))
