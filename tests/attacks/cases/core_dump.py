"""Crashes with a core dump, which a program of the machine's would be given.

Loot: a program run as root
Stopped by: design
"""

import resource

if resource.getrlimit(resource.RLIMIT_CORE)[1] != 0:
    loot("core dumps")
