"""Sets an extended attribute (Landlock does not cover it).

Loot: a mark on the grader's file
Stopped by: namespaces, seccomp
"""

attempt(os.setxattr, VICTIM, "user.mark", b"1")
