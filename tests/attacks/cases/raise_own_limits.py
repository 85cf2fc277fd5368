"""Raises its own limits.

Loot: memory and time
Stopped by: design
"""

import resource

for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
    if attempt(lambda: resource.setrlimit(kind, (resource.RLIM_INFINITY,) * 2) or "raised"):
        loot("raised", kind)
