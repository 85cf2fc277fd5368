"""Questions as the page needs them: texts with places, and ready-made variants that fill the places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from headcheck.quiz.bank import Bank, published_variants
from headcheck.quiz.kinds import Kind, Number, Options, Parts, Shape
from headcheck.quiz.markup import Markup
from headcheck.quiz.question import Params, Question


def _formula(tex: str, display: bool) -> str:
    """Mark a formula for the page, which draws it with KaTeX."""
    tag, look = ("div", " data-display") if display else ("span", "")
    return f'<{tag} class="tex"{look}>{escape(tex)}</{tag}>'


MARKUP = Markup(_formula)


def questions_data(bank: Bank, languages: Sequence[str], variants: int) -> list[dict[str, Any]]:
    """Describe the questions of a bank in plain values.

    Args:
        bank: the bank.
        languages: languages of the texts.
        variants: how many variants each question gets, as far as it has so many.

    Returns:
        One mapping a question; it can be written as JSON. A question that cannot be shown without giving an answer of
        the graded notebook away is not among them.
    """
    drawn = [(question, published_variants(bank, question, variants)) for question in bank.questions]
    return [_question(question, found, languages) for question, found in drawn if found]


def _question(question: Question, variants: Sequence[Params], languages: Sequence[str]) -> dict[str, Any]:
    return {
        "id": question.id,
        "topic": question.topic,
        "version": question.version,
        "parts": [{"name": name, **_kind(kind)} for name, kind in _parts(question.kind).items()],
        "wrong": [{"id": wrong.id, "part": wrong.part} for wrong in question.wrong],
        "read": asdict(question.read),
        "unchecked": [language for language in languages if question.texts.unchecked(language)],
        "texts": {language: _texts(question, language) for language in languages},
        "variants": [_variant(question, params) for params in variants],
    }


def _parts(kind: Kind) -> Mapping[str, Kind]:
    """Return the parts of an answer; one without parts has a single nameless one."""
    return kind.parts if isinstance(kind, Parts) else {"": kind}


def _kind(kind: Kind) -> dict[str, Any]:
    described: dict[str, Any] = {"kind": type(kind).__name__.lower()}
    if isinstance(kind, Number):
        described["decimals"] = kind.decimals
    if isinstance(kind, Shape) and kind.tell_length:
        described["length"] = len(kind.axes)
    if isinstance(kind, Options):
        described["options"] = list(kind.options)
    return described


def _texts(question: Question, language: str) -> dict[str, Any]:
    texts = question.texts

    def block(*keys: str) -> str:
        return MARKUP.block(texts.template(language, *keys))

    def line(*keys: str) -> str:
        return MARKUP.line(texts.template(language, *keys))

    return {
        "title": line("title"),
        "prompt": block("prompt"),
        "hint": block("hint"),
        "explanation": block("explanation"),
        "parts": {name: line("parts", name) for name in _parts(question.kind) if name},
        "options": {name: _options(kind, line) for name, kind in _parts(question.kind).items()},
        "wrong": {wrong.id: line("wrong", wrong.id) for wrong in question.wrong},
    }


def _options(kind: Kind, line: Callable[..., str]) -> dict[str, str]:
    if not isinstance(kind, Options):
        return {}
    keys = ("options", kind.name) if kind.name else ("options",)
    return {option: line(*keys, option) for option in kind.options}


def _variant(question: Question, params: Params) -> dict[str, Any]:
    kinds = _parts(question.arranged(params))
    answer = question.answer(params)
    answers = answer if isinstance(question.kind, Parts) else (answer,)
    return {
        "places": {name: str(value) for name, value in question.places(params).items()},
        "order": {name: list(kind.options) for name, kind in kinds.items() if isinstance(kind, Options)},
        "answers": [_plain(value) for value in answers],
        "written": [str(kind.write(value)) for kind, value in zip(kinds.values(), answers, strict=True)],
        "wrong": [_plain(wrong.value(params)) for wrong in question.wrong],
    }


def _plain(value: Any) -> Any:
    """Turn an answer into what JSON has."""
    if isinstance(value, frozenset | set):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
