"""Writes what `benchmarks/class.py` measured as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

ONE, TWO = "headcheck grade, 1 worker", "headcheck grade, 2 workers"
AIMS = {
    TWO: 15,
    ONE: 7,
    "nbgrader autograde, headcheck's configuration": 5,
}
STOCK = "nbgrader autograde, stock"


def page(figures: Mapping[str, Any]) -> str:
    """Write the page.

    Args:
        figures: what was measured.

    Returns:
        Markdown.
    """
    machine, made_with = figures["machine"], figures["versions"]
    lines = [
        "# What a class costs",
        "",
        "Written by `python benchmarks/class.py`; all rows of a table were measured in one go, one after the other.",
        "Processor time and memory are of all processes together, sampled once a second, later less often: shared",
        "memory counts once, and the processor time of student processes that live shorter than that is missing.",
        "",
        f"{machine['cores']} cores, load {machine['load']:.1f} before the start, {machine['system']}; "
        + ", ".join(f"{name} {version}" for name, version in made_with.items()),
    ]
    for name, write in (("speed", _speed), ("growth", _growth), ("again", _again), ("hostile", _hostile)):
        if name in figures:
            lines += ["", *write(figures[name])]
        if name == "growth" and "speed" in figures:
            lines.append(_without_start(figures["speed"], figures["growth"]))
    return "\n".join(lines) + "\n"


def _speed(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {found['submissions']} submissions of `bug_hunt`, graded in different ways"
    yield ""
    yield "| way | wall, s | from - to | times as fast as stock | aim | processor, s | most memory, MB |"
    yield "|---|---|---|---|---|---|---|"
    ways = found["ways"]
    for way, m in ways.items():
        faster = ways[STOCK]["wall_s"] / m["wall_s"]
        spent = f"{m['cpu_s']:.1f} | {m['most_mb']:.0f}"
        span = f"{m['wall_from_s']:.1f} - {m['wall_to_s']:.1f}" if "wall_from_s" in m else ""
        yield f"| {way} | {m['wall_s']:.1f} | {span} | {faster:.1f} | {AIMS.get(way, '')} | {spent} |"
    yield ""
    share = ways[TWO]["wall_s"] / ways[ONE]["wall_s"]
    yield f"Of so few, two workers take {share:.2f} of the time of one: each run begins with loading torch twice and"
    yield "nbgrader once."
    yield ""
    yield "Stock nbgrader and otter run the same checks with the same references inside the student's kernel, without a"
    yield "jail and without diagnosis. All times include starting the command. What takes seconds was measured three"
    yield "times, once before and twice after stock nbgrader: the middle one counts."


def _further_ms(found: Mapping[str, Any]) -> float:
    """What one more submission takes with two workers, start left out."""
    small, *_others, large = (m for m in found.values() if m["workers"] == 2)
    return float(1e3 * (large["wall_s"] - small["wall_s"]) / (large["submissions"] - small["submissions"]))


def _without_start(speed: Mapping[str, Any], growth: Mapping[str, Any]) -> str:
    stock = 1e3 * speed["ways"][STOCK]["wall_s"] / speed["submissions"]
    times = stock / _further_ms(growth)
    return (
        f"Stock nbgrader took {stock:.0f} ms for each of its {speed['submissions']}: {times:.0f} times as long as that."
    )


def _growth(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Classes of different sizes"
    yield ""
    yield "| submissions | workers | wall, s | each, ms | most memory, MB |"
    yield "|---|---|---|---|---|"
    for m in found.values():
        each = f"{m['wall_s']:.1f} | {m['per_submission_ms']:.0f}"
        yield f"| {m['submissions']} | {m['workers']} | {each} | {m['most_mb']:.0f} |"
    two = [m for m in found.values() if m["workers"] == 2]
    alone = next(m for m in found.values() if m["workers"] == 1)
    growth = two[-1]["per_submission_ms"] / two[0]["per_submission_ms"]
    yield ""
    yield f"One submission of the largest class costs {growth:.2f} times one of the smallest (aim: 1.1); each further"
    yield f"one takes {_further_ms(found):.0f} ms with two workers."
    scaling = alone["wall_s"] / two[-1]["wall_s"]
    yield f"On the largest class two workers are {scaling:.2f} times as fast as one (aim: 1.8)."
    yield f"Most memory of all: {max(m['most_mb'] for m in found.values()):.0f} MB (aim: under 1500)."


def _again(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"## A second run over an unchanged class of {found['submissions']}"
    yield ""
    yield (
        f"First run {found['first']['wall_s']:.1f} s, second run {found['second']['wall_s']:.2f} s: "
        f"{found['share']:.1%} of the first (aim: under 5 %)."
    )


def _hostile(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"## A class of {found['submissions']}, {found['hostile']} of them hostile or broken"
    yield ""
    yield (
        f"Students without a verdict: {found['without_verdict']}. Honest scores that differ from those of the class "
        f"without them: {found['honest_scores_that_differ']}. {found['wall_s']:.0f} s."
    )
