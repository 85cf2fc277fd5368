"""Every sentence of the page's own; the page shows them in the reader's language."""

from __future__ import annotations

from headcheck.i18n import N_, translated

LANGUAGE_NAMES = {"en": "English", "tr": "Türkçe", "uz": "oʻzbekcha"}

STRINGS = {
    "title": N_("Attention practice"),
    "intro": N_("Short questions about multi-head attention. Your progress stays in this browser."),
    "skip": N_("Skip to the question"),
    "language": N_("Language"),
    "topic": N_("Topic"),
    "all_topics": N_("All topics"),
    "theme": N_("Light or dark"),
    "progress": N_("Progress"),
    "progress_text": N_("{learnt} of {count} learnt, {due} to repeat, {fresh} not seen yet"),
    "square": N_("{title}: step {box} of {boxes}"),
    "square_new": N_("{title}: not seen yet"),
    "answer": N_("Your answer"),
    "form": N_("Answer: {form}"),
    "check": N_("Check"),
    "hint": N_("Hint"),
    "skip_question": N_("Skip"),
    "next": N_("Next question"),
    "right": N_("Right."),
    "partial": N_("Partly right."),
    "wrong": N_("Not right."),
    "the_answer": N_("The answer is {answer}."),
    "working": N_("How to get there"),
    "read": N_("Read on: {section} in the notebook {notebook}"),
    "unread": N_("This could not be read, so it was not judged and costs nothing."),
    "unread_choice": N_("Choose an option first."),
    "unread_choices": N_("Choose at least one option."),
    "unread_integer": N_("A whole number is asked for, such as 4224."),
    "unread_number": N_("A number is asked for, such as 2.83."),
    "unread_shape": N_("A shape is asked for, such as (2, 8, 10, 64)."),
    "unread_length": N_("A shape with {count} sizes is asked for."),
    "ambiguous": N_("“{text}” can be read in two ways; write the digits without separators."),
    "ambiguous_point": N_("“{text}” can be read in two ways; write two decimals."),
    "number_off": N_("The number is not right."),
    "axes_count": N_("The number of axes ({count}) is not right."),
    "axes_order": N_("The sizes are right, but not their order."),
    "axes_off": N_("Off at axis {axes} (axes count from 0)."),
    "option_off": N_("Option {letter} is not right."),
    "options_off": N_("{count} options are ticked or left out wrongly."),
    "several": N_("More than one mistake gives this answer."),
    "form_integer": N_("a whole number"),
    "form_number": N_("a number"),
    "form_shape": N_("a shape, such as (2, 8, 10, 64)"),
    "form_choice": N_("choose one"),
    "form_choices": N_("choose all that hold"),
    "done": N_("Nothing is due now."),
    "done_text": N_("The next question comes back on {date}. You can go on with any topic all the same."),
    "go_on": N_("Go on anyway"),
    "save": N_("Save my progress to a file"),
    "load": N_("Load progress from a file"),
    "reset": N_("Delete my progress"),
    "reset_sure": N_("Delete all progress in this browser?"),
    "loaded": N_("{count} questions were loaded."),
    "not_loaded": N_("This file holds no progress of this page; nothing was changed."),
    "broken": N_("The saved progress could not be read. It was kept aside in this browser, and you start anew."),
    "unsaved": N_("This browser does not let the page keep your progress; save it to a file before you leave."),
    "licences": N_("Formulas are drawn by KaTeX (MIT licence)."),
    "draft": N_("No native reader has checked this translation yet."),
    "no_script": N_("This page needs JavaScript."),
}


def strings(language: str) -> dict[str, str]:
    """Return the sentences in one language, by their names."""
    return {name: translated(text, language) for name, text in STRINGS.items()}
