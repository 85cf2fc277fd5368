"""Reads the working folder of a student whose process lives at the same time.

Loot: somebody else's files
Stopped by: namespaces, landlock
"""

attempt(lambda: loot(open(f"{NEIGHBOUR}/mine.txt").read()) if NEIGHBOUR != os.getcwd() else None)
attempt(lambda: loot(*os.listdir(os.path.dirname(NEIGHBOUR))) if len(NEIGHBOUR) > 5 else None)
