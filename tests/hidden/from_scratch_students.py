"""Answers to `multi_head_attention` from the corpus, and notebooks made of them."""

from pathlib import Path

from headcheck.course.markers import read_text_notebook

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus" / "multi_head_attention"
TEXT = ROOT / "assignments" / "from_scratch" / "from_scratch.py"


def model_names():
    """The names that the model answers define."""
    names = {"__name__": "__main__"}
    for cell in read_text_notebook(TEXT):
        if cell.kind in ("locked", "solution"):
            exec(cell.source, names)
    return names


def exec_file(path, names):
    names = dict(names)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names


def marked_lines(path):
    return [number for number, line in enumerate(path.read_text().splitlines(), start=1) if line.endswith("# <-")]


MARKED = {path: marked_lines(path) for path in sorted((CORPUS / "wrong").glob("*.py")) if marked_lines(path)}
"""File -> lines where its computation goes wrong."""
