"""Reads another student's notebook.

Loot: a finished solution
Stopped by: namespaces, landlock
"""

attempt(lambda: loot(open(OTHER).read()))
