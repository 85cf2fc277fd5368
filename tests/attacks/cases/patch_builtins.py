"""Replaces builtins that a comparison would use.

Loot: full points for a wrong answer
Stopped by: design
Answer: wrong
"""

import builtins

builtins.bool = lambda *a: True
