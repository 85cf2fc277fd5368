"""Signals the grader through a process descriptor.

Loot: a grader that can be stopped
Stopped by: namespaces, seccomp, landlock
"""

import signal

attempt(lambda: loot("signalled") if signal.pidfd_send_signal(os.pidfd_open(GRADER), signal.SIGWINCH) is None else 0)
