"""Leaves a program that runs with the rights of its owner.

Loot: the user id of the jail, or of the grader
Stopped by: namespaces, seccomp
"""


def leave():
    os.close(os.open("program", os.O_CREAT | os.O_WRONLY, 0o4755))
    on_the_host = not os.statvfs(".").f_flag & os.ST_NOSUID
    if on_the_host and os.stat("program").st_mode & 0o4000:
        loot("program")


attempt(leave)
