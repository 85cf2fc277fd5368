"""Reads the attack files: `cases/<name>.py`, each a notebook cell with a docstring that says what it is after."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"
FIELDS = ("Loot", "Stopped by", "Answer", "Level B")
STOPPERS = ("namespaces", "landlock", "seccomp", "limits", "judge", "design")


@dataclass(frozen=True)
class Case:
    """One attack.

    Attributes:
        name: name of its file.
        tries: what it tries.
        loot: what it would carry off.
        stopped_by: layers of which each alone stops it; "limits" for rlimits; "judge" when the comparison in the
            trusted process does; "design" when there is nothing to be had in the process.
        answer: "right" when the attacker's `attention` is right all the same, else "wrong".
        open_at_b: it gets through without a private root, as the documentation states.
        code: the cell.
    """

    name: str
    tries: str
    loot: str
    stopped_by: tuple[str, ...]
    answer: str
    open_at_b: bool
    code: str


def read_case(path: Path) -> Case:
    """Read one attack file."""
    code = path.read_text(encoding="utf-8")
    head = ast.get_docstring(ast.parse(code))
    assert head, f"{path.name} does not say what it tries"
    fields = dict(re.findall(r"^(Loot|Stopped by|Answer|Level B): (.+)$", head, re.MULTILINE))
    stoppers = tuple(word.strip() for word in fields["Stopped by"].split(","))
    assert set(stoppers) <= set(STOPPERS), f"{path.name}: {stoppers}"
    return Case(
        name=path.stem,
        tries=head.splitlines()[0],
        loot=fields["Loot"],
        stopped_by=stoppers,
        answer=fields.get("Answer", "right"),
        open_at_b=fields.get("Level B") == "open",
        code=code,
    )


def all_cases() -> list[Case]:
    """Read all attack files."""
    return [read_case(path) for path in sorted(FOLDER.glob("*.py"))]
