"""Reads the machine's users and their password hashes.

Loot: accounts
Stopped by: namespaces, landlock
"""

for path in ("/etc/shadow", "/etc/passwd", "/etc/hostname"):
    text = attempt(lambda: open(path).read())
    if text and not text.startswith("student:"):
        loot(text[:30])
