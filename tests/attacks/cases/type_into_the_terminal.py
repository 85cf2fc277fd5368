"""Puts characters into the grader's terminal.

Loot: a command of the grader's
Stopped by: design
"""

import fcntl
import termios

for handle in range(3):
    attempt(lambda: loot(fcntl.ioctl(handle, termios.TIOCSTI, b"x")))
attempt(lambda: loot(os.open("/dev/tty", os.O_RDWR)))
