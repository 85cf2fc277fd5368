"""Spoils another student's notebook.

Loot: a better place in the ranking
Stopped by: namespaces, landlock
"""

attempt(lambda: open(OTHER, "a").write("x"))
