"""Plain nbgrader notebooks, with hidden tests in their cells: read, run in the jail, given points."""
