"""Leaves files in folders that all users share.

Loot: a way to hand things to the next student
Stopped by: namespaces, landlock
"""

for folder in ("/var/tmp", "/dev/shm"):
    attempt(lambda: open(f"{folder}/left-{GRADER}", "w").close())
