"""Gives a file to its own owner again, which clears bits (Landlock does not cover it).

Loot: a changed file
Stopped by: namespaces, seccomp
"""

facts = attempt(os.stat, VICTIM)
if facts is not None and attempt(lambda: os.chown(VICTIM, os.getuid(), os.getgid()) or "done"):
    loot("chown")
