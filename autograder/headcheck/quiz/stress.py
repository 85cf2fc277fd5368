"""Draw every question many times and look for what must not happen: errors, two right options, patterns to guess by."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headcheck.errors import UsageError
from headcheck.i18n import _
from headcheck.quiz.kinds import Choice, Choices, Options, Parts
from headcheck.quiz.question import Params, Question
from headcheck.quiz.texts import LANGUAGES

LARGEST = 20_000
"""No number of an answer may be larger: questions are to be solved with the head, or pencil and paper."""

UNEVEN = 8.0
"""By so many standard deviations the chi-square of the places may exceed its mean; chance hardly ever does."""

GUESSABLE = 2.0
"""By so many standard deviations the longest (or shortest) option may be right more often than by chance."""


def stress(bank: Mapping[str, Question], draws: int, seed: int) -> list[str]:
    """Draw every question of a bank many times.

    Args:
        bank: id -> question.
        draws: variants per question, beside the lesson's own.
        seed: seed of all draws; the same seed finds the same.

    Returns:
        What was found, one line each, without repetitions; empty when nothing is wrong.
    """
    found = {name: _stress_question(question, draws, seed) for name, question in bank.items()}
    sound = [question for name, question in bank.items() if not found[name]]
    return [*(finding for findings in found.values() for finding in findings), *_guessable_by_length(sound)]


def _stress_question(question: Question, draws: int, seed: int) -> list[str]:
    rng = random.Random(f"{seed} {question.id}")
    places: dict[str, Counter[int]] = {}
    found: dict[str, None] = {}
    try:
        question.check_texts()
        for params in (question.lesson, *(question.draw(rng) for _draw in range(draws))):
            found |= dict.fromkeys(_stress_variant(question, params))
            if params is not question.lesson:
                _note_places(question, params, places)
    except UsageError as error:  # names file, question and language itself
        return [*_named(question, found), str(error)]
    except Exception as error:  # an author's mistake of any kind; the other questions go on
        found[_("stops with {kind}: {error}").format(kind=type(error).__name__, error=error)] = None
    return [*_named(question, found), *_named(question, _uneven(places))]


def _named(question: Question, found: Iterable[str]) -> list[str]:
    return [_("{question}: {finding}").format(question=question.id, finding=finding) for finding in found]


def _stress_variant(question: Question, params: Params) -> Iterator[str]:
    checks: tuple[Callable[[Question, Params], Iterator[str]], ...] = (
        _right_answer,
        _wrong_answers,
        _options,
        _texts,
        _numbers,
    )
    for check in checks:
        yield from check(question, params)


def _right_answer(question: Question, params: Params) -> Iterator[str]:
    grade = question.grade(params, question.written_answer(params))
    if grade.state != "correct":
        yield _("the right answer is graded as {state}").format(state=grade.state)


def _wrong_answers(question: Question, params: Params) -> Iterator[str]:
    kinds = question.kind.parts if isinstance(question.kind, Parts) else {"": question.kind}
    answers = _answers(question, params)
    for wrong in question.wrong:
        kind, answer = kinds[wrong.part], answers[wrong.part]
        if kind.judge(answer, kind.mistaken(answer, wrong.value(params))).fraction == 1:
            yield _("the wrong answer {wrong} can be right").format(wrong=wrong.id)


def _answers(question: Question, params: Params) -> dict[str, Any]:
    """Name the right answer of each part; the name is empty when there are no parts."""
    answer = question.answer(params)
    return dict(zip(question.kind.parts, answer, strict=True)) if isinstance(question.kind, Parts) else {"": answer}


def _options(question: Question, params: Params) -> Iterator[str]:
    answers = _answers(question, params)
    for choice in question.choices(params):
        right = _right_options(choice, answers[choice.name])
        if not 0 < len(right) < len(choice.options) or (isinstance(choice, Choice) and len(right) != 1):
            yield _("{count} options are right").format(count=len(right))
        for language in LANGUAGES:
            texts = [text for _letter, text in question.options(choice, params, language)]
            if len(set(texts)) < len(texts):
                yield _("two options are equal, language {language}").format(language=language)


def _right_options(choice: Options, answer: Any) -> set[str]:
    right = set(answer) if isinstance(choice, Choices) else {answer}
    return right & set(choice.options)


def _texts(question: Question, params: Params) -> Iterator[str]:
    for language in LANGUAGES:
        told = [
            tell(params, language) for tell in (question.title, question.prompt, question.hint, question.explanation)
        ]
        if not all(told) or any("{{" in text or "}}}" in text for text in told):
            yield _("a text is empty or has braces left, language {language}").format(language=language)


def _numbers(question: Question, params: Params) -> Iterator[str]:
    for number in _all_numbers(question.answer(params)):
        if abs(number) > LARGEST:
            yield _("an answer is as large as {number}").format(number=number)


def _all_numbers(answer: Any) -> Iterator[float]:
    if isinstance(answer, (tuple, list)):
        for part in answer:
            yield from _all_numbers(part)
    elif isinstance(answer, (int, float)):
        yield answer


def _note_places(question: Question, params: Params, places: dict[str, Counter[int]]) -> None:
    answers = _answers(question, params)
    for choice in question.choices(params):
        counted = places.setdefault(choice.name, Counter(dict.fromkeys(range(len(choice.options)), 0)))
        counted.update(map(choice.options.index, _right_options(choice, answers[choice.name])))


def _uneven(places: dict[str, Counter[int]]) -> Iterator[str]:
    """Compare how often the right option stood at each place with an even spread."""
    for name, counted in places.items():
        even, free = counted.total() / len(counted), len(counted) - 1
        chi_square = sum((times - even) ** 2 / even for times in counted.values())
        if chi_square > free + UNEVEN * (2 * free) ** 0.5:
            spread = ", ".join(str(counted[place]) for place in sorted(counted))
            yield _("the right option of {part} is not spread evenly: {spread}").format(part=name or "-", spread=spread)


def _guessable_by_length(questions: Sequence[Question]) -> Iterator[str]:
    """Ask whether somebody who always takes the longest (shortest) option would do better than by chance."""
    for language in LANGUAGES:
        for extreme, name in ((max, _("longest")), (min, _("shortest"))):
            shares = [share for question in questions for share in _shares(question, extreme, language)]
            hits = sum(hit for hit, _chance in shares)
            expected = sum(chance for _hit, chance in shares)
            spread = sum(chance * (1 - chance) for _hit, chance in shares) ** 0.5
            if hits > expected + GUESSABLE * spread:
                yield _("the {extreme} option is right {hits} times in {count}, language {language}").format(
                    extreme=name, hits=f"{hits:g}", count=len(shares), language=language
                )


def _shares(
    question: Question, extreme: Callable[[Iterable[int]], int], language: str
) -> Iterator[tuple[float, float]]:
    """Give, for each choice, the share of right options among the longest (shortest), and among all."""
    answers = _answers(question, question.lesson)
    for choice in question.choices():
        lengths = {
            option: len(text)
            for option, (_letter, text) in zip(
                choice.options, question.options(choice, question.lesson, language), strict=True
            )
        }
        taken = {option for option, length in lengths.items() if length == extreme(lengths.values())}
        right = _right_options(choice, answers[choice.name])
        yield len(taken & right) / len(taken), len(right) / len(lengths)
