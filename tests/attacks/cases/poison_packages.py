"""Changes torch and other packages for those who come later.

Loot: every later grading
Stopped by: design
"""

import json

for path in (torch.__file__, json.__file__, json.__cached__, os.path.dirname(json.__file__) + "/__pycache__/evil.pyc"):
    if attempt(lambda: os.close(os.open(path, os.O_WRONLY | os.O_APPEND)) or "opened"):
        loot("may write", path)
