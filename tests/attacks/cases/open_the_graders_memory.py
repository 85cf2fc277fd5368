"""Opens the grader's memory as a file.

Loot: expected values
Stopped by: namespaces, landlock
"""

attempt(lambda: loot(open(f"/proc/{GRADER}/mem", "rb").fileno()))
