"""Sends a harmless signal to the grader and to its own parents.

Loot: a grader that can be stopped
Stopped by: namespaces, seccomp, landlock
"""

import signal

for pid in (GRADER, ZYGOTE, os.getppid()):
    if pid:
        attempt(lambda: loot("signalled", pid) if os.kill(pid, signal.SIGWINCH) is None else 0)
