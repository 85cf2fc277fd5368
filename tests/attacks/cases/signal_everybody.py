"""Asks whether all processes can be signalled at once.

Loot: every process of the user
Stopped by: namespaces, seccomp, landlock
"""

attempt(lambda: loot("all") if os.kill(-1, 0) is None else 0)
