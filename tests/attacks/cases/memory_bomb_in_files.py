"""Takes memory through files that lie in memory.

Loot: a grader out of memory
Stopped by: design
"""


def fill(folder):
    for i in range(200):
        with open(f"{folder}/f{i}", "wb") as file:
            file.write(b"x" * (8 << 20))


import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
total = 0
for folder in (".", "/tmp", "/dev/shm"):
    attempt(fill, folder)
    for name in attempt(os.listdir, folder) or []:
        total += attempt(os.path.getsize, f"{folder}/{name}") or 0
if total > 160 << 20:
    loot(total >> 20, "MB in files")
