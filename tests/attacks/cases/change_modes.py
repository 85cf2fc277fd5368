"""Takes the rights to a file away from its owner (Landlock does not cover it).

Loot: a grader that cannot read its files
Stopped by: namespaces, seccomp
"""

attempt(os.chmod, VICTIM, 0o600)
