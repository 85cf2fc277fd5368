"""Climbs out of the working folder and through /proc.

Loot: any file of the machine
Stopped by: namespaces, landlock
"""

for path in (
    "../" * 12 + TESTS,
    "/proc/1/root" + TESTS,
    "/proc/self/root" + TESTS,
    "/proc/self/cwd/" + "../" * 12 + TESTS,
):
    attempt(lambda: loot(open(path).read()))
