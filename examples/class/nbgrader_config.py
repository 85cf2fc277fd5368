"""nbgrader's configuration: `nbgrader autograde`, `generate_feedback` and `formgrader` grade with headcheck."""

from headcheck.gradebook.config import configure

c = get_config()  # noqa: F821  (nbgrader puts get_config there)
configure(c)
