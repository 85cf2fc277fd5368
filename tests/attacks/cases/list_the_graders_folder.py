"""Lists the grader's folder.

Loot: names of students and files
Stopped by: namespaces, landlock
"""

attempt(lambda: loot(os.listdir(FOLDER)))
