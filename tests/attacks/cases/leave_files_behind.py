"""Leaves files in folders that all users share.

Loot: a way to hand things to the next student
Stopped by: namespaces, landlock
"""

for folder in (
    "/var/tmp",
    "/run/lock",
    "/dev/mqueue",
    "/dev/shm" if not os.path.ismount("/dev/shm") or os.getpid() > 2 else "/none",
):
    attempt(lambda: open(folder + "/left-behind", "w").close())
