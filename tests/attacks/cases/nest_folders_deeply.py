"""Leaves folders nested so deeply that going down into them fails.

Loot: files that stay for the next student, or a grader that crashes
Stopped by: design
"""


def nest():
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")


attempt(nest)
