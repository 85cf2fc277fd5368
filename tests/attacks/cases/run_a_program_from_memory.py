"""Writes a program into memory and runs it from there.

Loot: a program of one's own
Stopped by: seccomp
"""

handle = attempt(os.memfd_create, "program")
if handle is not None:
    loot("memory that can be run")
