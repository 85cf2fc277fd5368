"""Looks at the machine's processes.

Loot: who else is graded, with which arguments
Stopped by: namespaces, landlock
"""

for pid in (GRADER, ZYGOTE):
    attempt(lambda: loot(open(f"/proc/{pid}/cmdline").read()[:40]))
