"""Runs programs of the machine.

Loot: tools for everything else
Stopped by: seccomp, landlock
"""

import subprocess

attempt(lambda: loot(subprocess.check_output(["/usr/bin/id"])))
