"""Puts a file into the working folder of a student whose process lives at the same time.

Loot: a module that somebody else imports
Stopped by: namespaces, landlock
"""

if NEIGHBOUR != os.getcwd():
    attempt(lambda: open(f"{NEIGHBOUR}/numpy.py", "w").close() or loot("planted"))
    attempt(lambda: os.replace(f"{NEIGHBOUR}/mine.txt", "stolen.txt") or loot("taken"))
