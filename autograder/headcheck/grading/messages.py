"""Puts a diagnosis into words: one message that stands first, and what is folded behind it."""

from __future__ import annotations

from headcheck.course.config import Hints
from headcheck.diagnosis.match import Way
from headcheck.grading.diagnose import Diagnosis
from headcheck.i18n import _


def lead(seen: str, found: Diagnosis, hints: Hints) -> str:
    """Make the one message that stands first.

    Args:
        seen: what a hidden test saw.
        found: what diagnosis found.
        hints: how much may be told.

    Returns:
        A few lines of plain text.
    """
    lines = [" ".join([seen, *found.symptoms[:1]])]
    if hints != "symptom" and (where := place_words(found)):
        lines.append(where)
    if hints == "full":
        lines.extend(name_lines(found.ways))
        if found.searched and not found.ways:
            lines.append(_("None of the known mistakes, and no two of them, gives exactly this."))
    return "\n".join(lines)


def folded(found: Diagnosis, hints: Hints) -> list[str]:
    """Return what else there is to say: further symptoms, and how to see the mistake oneself."""
    said = list(found.symptoms[1:])
    if hints == "full" and len(found.ways) == 1:
        said.extend(
            _("See for yourself: {text}").format(text=_(mistake.see))
            for mistake in found.ways[0].mistakes
            if mistake.see
        )
    return said


def place_words(found: Diagnosis) -> str:
    """Say where a computation went wrong."""
    if found.place is None:
        return ""
    if found.place.line is None:
        return _("It goes wrong at this stage: {stage}.").format(stage=found.place_name)
    return _("It goes wrong at this stage: {stage}, in line {line} of your cell.").format(
        stage=found.place_name, line=found.place.line
    )


def name_lines(ways: tuple[Way, ...]) -> list[str]:
    """Name the mistakes; openly when they cannot be told apart."""
    if not ways:
        return []
    if len(ways) == 1:
        return _one_way(ways[0])
    shared = [m for m in ways[0].mistakes if all(m.id in {other.id for other in way.mistakes} for way in ways)]
    kept = {mistake.id for mistake in shared}
    rest = [_(" and ").join(_(m.name).rstrip(".") for m in way.mistakes if m.id not in kept) for way in ways]
    either = _("Either {names}; these inputs cannot tell them apart.").format(names=_(", or ").join(rest))
    return [*(_("One mistake: {name}").format(name=sentence(_(mistake.name))) for mistake in shared), either]


def _one_way(way: Way) -> list[str]:
    if len(way.mistakes) == 1:
        mistake = way.mistakes[0]
        name = _("The mistake: {name}").format(name=sentence(_(mistake.name)))
        return [name, _(mistake.explanation), _(mistake.question)]
    first, *others = way.mistakes
    lines = [_("Two mistakes at once. One: {name}").format(name=sentence(_(first.name))), _(first.explanation)]
    for mistake in others:
        lines += [_("The other: {name}").format(name=sentence(_(mistake.name))), _(mistake.explanation)]
    return [*lines, _(first.question)]


def sentence(text: str) -> str:
    """End a text with a full stop if it has no end yet."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."
