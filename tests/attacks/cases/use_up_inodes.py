"""Makes files without end.

Loot: a disk without room for names
Stopped by: design
"""

count = 0


def fill():
    global count
    for count in range(20000):
        open(f"f{count}", "w").close()


attempt(fill)
if count > 10000:
    loot(count, "files")
