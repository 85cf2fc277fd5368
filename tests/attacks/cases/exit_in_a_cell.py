"""Ends the process in the middle of a cell, after a line that looks like success.

Loot: an end that looks like a pass
Stopped by: design
Answer: wrong
"""

print("100 points, all tests passed")
os._exit(0)
