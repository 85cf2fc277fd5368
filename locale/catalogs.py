"""Brings the catalogs of messages up to date: `python locale/catalogs.py`, or with `--check` says what is stale."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("tr", "uz")
METHODS = [("autograder/**.py", "python"), ("solutions/**.py", "python"), ("autograder/**.j2", "jinja2")]
KEYWORDS = {**DEFAULT_KEYWORDS, "N_": None}
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Stands for all dates, so that the same texts give the same bytes."""

UNCHECKED = "No native reader has checked these texts yet."


def messages() -> list[str]:
    """List every message in the code, each once, in order."""
    found = extract_from_dir(ROOT, METHODS, keywords=KEYWORDS)
    return sorted({message if isinstance(message, str) else message[0] for _file, _line, message, *_rest in found})


def read(language: str) -> Catalog:
    """Read a language's catalog; a new one when there is none."""
    path = po_file(language)
    if not path.is_file():
        return Catalog(language, header_comment=f"# headcheck in {language}.\n# {UNCHECKED}")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def po_file(language: str) -> Path:
    """Return where a language's messages lie."""
    return ROOT / "locale" / language / "LC_MESSAGES" / "headcheck.po"


def updated(language: str, wanted: list[str]) -> dict[Path, bytes]:
    """Return both files of a language as they should be: with exactly the messages that are in the code."""
    old = read(language)
    new = Catalog(
        language,
        project="headcheck",
        header_comment=old.header_comment,
        creation_date=NO_DATE,
        revision_date=NO_DATE,
        fuzzy=False,
    )
    for message in wanted:
        known = old.get(message)
        new.add(message, known.string if known is not None else "")
    po, mo = BytesIO(), BytesIO()
    write_po(po, new, sort_output=True, width=120)
    write_mo(mo, new)
    path = po_file(language)
    return {path: po.getvalue(), path.with_suffix(".mo"): mo.getvalue()}


def main() -> int:
    """Write what has changed, or with `--check` only name it."""
    wanted, stale = messages(), 0
    for language in LANGUAGES:
        for path, content in updated(language, wanted).items():
            if path.is_file() and path.read_bytes() == content:
                continue
            stale += 1
            if "--check" in sys.argv:
                print(f"stale: {path.relative_to(ROOT)}; run `make locale`")
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"wrote {path.relative_to(ROOT)}")
        missing = sum(1 for message in read(language) if message.id and not message.string)
        print(f"{language}: {len(wanted) - missing} of {len(wanted)} messages translated")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
