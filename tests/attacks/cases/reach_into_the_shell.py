"""Changes the shell that runs the cells.

Loot: later cells that do not run
Stopped by: design
Answer: wrong
"""

shell = get_ipython()
shell.run_cell = lambda *a, **k: None
shell.user_ns["attention"] = lambda *a: None
