"""Writes the practice page: a folder of plain files without references to any other host."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.bank import Bank
from headcheck.quiz.site.data import questions_data
from headcheck.quiz.site.strings import LANGUAGE_NAMES, strings

HERE = Path(__file__).parent
SCRIPTS = ("parse.js", "judge.js", "store.js", "page.js")
KATEX = HERE / "vendor" / "katex"
MARK = "headcheck-practice"
"""Stands in the manifest of a page of ours: a folder with it may be written again."""


@dataclass(frozen=True)
class Site:
    """What the page is made of.

    Args:
        bank: the questions.
        languages: languages of the texts; the first is shown to readers of any other language.
        variants: how many variants of each question are on the page.
    """

    bank: Bank
    languages: Sequence[str]
    variants: int = 8

    def content(self) -> dict[str, Any]:
        """Return everything that the scripts need, in plain values."""
        return {
            "languages": {language: LANGUAGE_NAMES[language] for language in self.languages},
            "strings": {language: strings(language) for language in self.languages},
            "topics": {
                language: {topic: self.bank.topic_name(topic, language) for topic in self.bank.topics}
                for language in self.languages
            },
            "questions": questions_data(self.bank, self.languages, self.variants),
        }


def build_site(site: Site, out: Path) -> list[Path]:
    """Write the page.

    Args:
        site: what it is made of.
        out: the folder; it is made when it is not there, and an older page in it is replaced.

    Returns:
        The files, relative to the folder.

    Raises:
        UsageError: the folder holds something else, or cannot be written.
    """
    _refuse_foreign(out)
    fresh = out.with_name(f".{out.name}.new")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        files = _write(site, fresh)
        shutil.rmtree(out, ignore_errors=True)
        fresh.rename(out)
    except OSError as error:
        raise UsageError(
            _("{folder}: the page could not be written: {reason}").format(folder=out, reason=error)
        ) from error
    return files


def inline_page(site: Site) -> str:
    """Return the page as one document with nothing to load; its formulas are MathML, which needs no fonts.

    Args:
        site: what it is made of.

    Returns:
        A complete HTML document.
    """
    scripts = [KATEX / "katex.min.js", *(HERE / "static" / name for name in SCRIPTS)]
    return _rendered(
        "inline.html.j2",
        site=site,
        style=Markup((HERE / "static" / "quiz.css").read_text(encoding="utf-8")),
        scripts=[Markup(path.read_text(encoding="utf-8").replace("</script", "<\\/script")) for path in scripts],
        **_filling({**site.content(), "formulas": "mathml"}),
    )


def _refuse_foreign(out: Path) -> None:
    """Refuse a folder whose content is not a page of ours, for it would be deleted."""
    if not out.exists():
        return
    manifest = out / "manifest.webmanifest"
    ours = manifest.is_file() and MARK in manifest.read_text(encoding="utf-8", errors="replace")
    if not out.is_dir() or (any(out.iterdir()) and not ours):
        raise UsageError(_("{folder} exists and is no practice page; name a new folder").format(folder=out))


def _write(site: Site, folder: Path) -> list[Path]:
    content = site.content()
    shutil.copytree(KATEX, folder / "katex")
    for name in (*SCRIPTS, "quiz.css", "icon.svg"):
        shutil.copyfile(HERE / "static" / name, folder / name)
    _render("index.html.j2", folder / "index.html", site=site, scripts=SCRIPTS, **_filling(content))
    _render("manifest.webmanifest.j2", folder / "manifest.webmanifest", mark=MARK, title=strings("en")["title"])
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    _render("sw.js.j2", folder / "sw.js", files=[path.as_posix() for path in files], version=_digest(folder, files))
    return [*files, Path("sw.js")]


def _filling(content: dict[str, Any]) -> dict[str, Any]:
    """Return what a template needs of the content: all of it for the scripts, and room for the squares of progress."""
    return {"content": as_script(content), "squares": len(content["questions"])}


def as_script(value: Any) -> Markup:
    """Write a value as JSON that may stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _render(template: str, target: Path, **values: Any) -> None:
    target.write_text(_rendered(template, **values), encoding="utf-8")


def _rendered(template: str, **values: Any) -> str:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values, strings=strings("en"))


def _digest(folder: Path, files: Sequence[Path]) -> str:
    """Name this version of the page; a browser that has another one fetches all anew."""
    content = hashlib.sha256()
    for path in files:
        content.update(path.as_posix().encode() + b"\0" + (folder / path).read_bytes())
    return content.hexdigest()[:16]
