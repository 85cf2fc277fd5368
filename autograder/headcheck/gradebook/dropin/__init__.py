"""nbgrader's own steps with headcheck in them: what `nbgrader autograde` and the formgrader go through."""
