"""A pytest plugin: nbgrader's own tests of single steps get headcheck's steps in their place."""

import nbgrader.preprocessors
from headcheck.gradebook.dropin import execute, repair, scores

for step in (execute.Execute, repair.DeduplicateIds, repair.OverwriteCells, scores.SaveAutoGrades):
    setattr(nbgrader.preprocessors, step.__name__, step)
