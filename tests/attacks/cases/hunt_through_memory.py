"""Searches all of its memory for what the grader may have left there.

Loot: the expected values
Stopped by: design
"""

import re

needle = b"EXPECTED" + b"_"
for line in attempt(lambda: open("/proc/self/maps").readlines()) or []:
    span, rights = line.split()[:2]
    start, end = (int(x, 16) for x in span.split("-"))
    if "r" not in rights or "[v" in line or end - start > 1 << 27:
        continue
    try:
        with open("/proc/self/mem", "rb") as memory:
            memory.seek(start)
            found = re.search(needle + b"[0-9a-f]{40}", memory.read(end - start))
    except (OSError, ValueError, MemoryError):
        continue
    if found:
        loot(found[0])
