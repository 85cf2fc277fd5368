"""Has the kernel report what happens in the grader's folder (Landlock does not cover it).

Loot: who is graded when
Stopped by: namespaces, seccomp
"""

import ctypes

libc = ctypes.CDLL(None)
watch = libc.inotify_init1(0o4000)
if watch >= 0 and libc.inotify_add_watch(watch, FOLDER.encode(), 0xFFF) >= 0:
    loot("watching")
