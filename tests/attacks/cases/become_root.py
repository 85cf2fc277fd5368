"""Asks to be root.

Loot: the machine
Stopped by: design
"""

for change in (lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0])):
    if os.getuid() != 0 and attempt(lambda: change() or "done"):
        loot("root")
