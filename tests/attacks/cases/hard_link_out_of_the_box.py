"""Makes a hard link to a file outside.

Loot: a file that stays within reach
Stopped by: namespaces, landlock, seccomp
"""

for folder in (".", "/tmp", FOLDER):
    name = f"{folder}/hard-{os.getpid()}"
    if attempt(lambda: os.link(TESTS, name) or "made"):
        loot(open(name).read())
        os.unlink(name)
