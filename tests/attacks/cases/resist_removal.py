"""Leaves folders without permissions and with odd names.

Loot: files that stay for the next student
Stopped by: design
"""

os.umask(0)
for mode in (0o000, 0o100, 0o300, 0o500):
    name = f"closed {mode}\n\udcff"
    attempt(os.mkdir, name, 0o700)
    attempt(lambda: open(f"{name}/file", "w").close())
    attempt(os.mkdir, f"{name}/inner", mode)
    attempt(os.mkdir, f"sealed {mode}", mode)
