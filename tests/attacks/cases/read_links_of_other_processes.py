"""Follows the links in /proc that show the grader's working folder and files.

Loot: paths and open files
Stopped by: namespaces, landlock
"""

for pid in (GRADER, ZYGOTE, os.getppid() or 1):
    for name in ("cwd", "exe", "root", "fd/0", "fd/1"):
        attempt(lambda: loot(os.readlink(f"/proc/{pid}/{name}")))
