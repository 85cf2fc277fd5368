"""The students of the example class: what each of them handed in, and what it must get."""

from students import accidents, bugs, cheats, honest
from students.entry import Student

STUDENTS: tuple[Student, ...] = tuple(
    sorted((*honest.STUDENTS, *bugs.STUDENTS, *accidents.STUDENTS, *cheats.STUDENTS), key=lambda student: student.name)
)
"""All students, in the order of their names."""
