"""Makes the course's own packages importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
