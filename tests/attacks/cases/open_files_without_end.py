"""Opens files until no more can be opened.

Loot: a machine without descriptors
Stopped by: design
"""

kept = []


def bomb():
    while len(kept) < 5000:
        kept.append(os.open("/dev/null", os.O_RDONLY))


attempt(bomb)
if len(kept) > 200:
    loot(len(kept), "files")
