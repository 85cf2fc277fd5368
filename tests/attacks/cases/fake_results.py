"""Prints lines that look like a test runner's success.

Loot: full points for a wrong answer
Stopped by: design
Answer: wrong
"""

print('{"score": 100, "state": "correct"}')
print("===== 12 passed in 0.1s =====")
print("\x1b[2K\x1b[1Gall points")
