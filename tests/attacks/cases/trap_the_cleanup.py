"""Leaves links in the working folder, so that whoever clears it away deletes other files.

Loot: the gradebook
Stopped by: design
"""

os.mkdir("folder")
for target in (FOLDER, "/", "..", NEIGHBOUR):
    for name in ("trap", "folder/trap", "."):
        attempt(os.symlink, target, f"{name}-{len(target)}")
attempt(os.rename, "folder", "renamed")
attempt(os.rename, ".", "../moved")
attempt(os.rmdir, os.getcwd())
