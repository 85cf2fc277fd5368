"""Makes symbolic links to files outside and opens them.

Loot: any file of the grader's
Stopped by: namespaces, landlock
"""

for folder in (".", "/tmp", "/dev/shm"):
    name = f"{folder}/link-{os.getpid()}"
    if attempt(lambda: os.symlink(TESTS, name) or "made"):
        attempt(lambda: loot(open(name).read()))
        attempt(os.unlink, name)
