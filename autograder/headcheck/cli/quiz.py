"""`headcheck quiz`: practise in the terminal, see how it goes, take the questions elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import click

from headcheck.cli.common import FILE, complain, main, one_line_errors
from headcheck.errors import UsageError
from headcheck.i18n import _

FORMATS = ("anki", "moodle", "qti", "print", "print-answers")


def _language(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """Choose the language of this run, of the interface as well as of the bank."""
    from headcheck.quiz.language import VARIABLE, choose

    try:
        chosen = choose(value)
    except UsageError as error:
        raise click.BadParameter(str(error)) from error
    os.environ[VARIABLE] = chosen
    return chosen


LANGUAGE_OPTION = click.option(
    "--language", callback=_language, help=_("Language of questions and remarks; by default that of your system.")
)
PLAIN_OPTION = click.option("--plain", is_flag=True, help=_("No colours and no layout, for screen readers."))


@main.group(invoke_without_command=True)
@click.option("--topic", help=_("Only questions of this topic, also before their time."))
@click.option("--new", "only_new", is_flag=True, help=_("Only questions that you were never asked."))
@click.option("--exam", type=click.IntRange(min=1), metavar="N", help=_("An exam of N questions, with a score."))
@PLAIN_OPTION
@LANGUAGE_OPTION
@click.pass_context
def quiz(
    context: click.Context, topic: str | None, only_new: bool, exam: int | None, plain: bool, language: str
) -> None:
    """Practise the quiz: without a subcommand, what is due is asked first, then what is new."""
    if context.invoked_subcommand is None:
        _practise(topic, only_new, exam, plain, language)
    elif topic or only_new or exam or plain:
        raise click.UsageError(
            _("{command} takes its options behind its name").format(command=context.invoked_subcommand)
        )


@one_line_errors
def _practise(topic: str | None, only_new: bool, exam: int | None, plain: bool, language: str) -> int:
    from headcheck.quiz.bank import open_bank
    from headcheck.quiz.progress import Store
    from headcheck.quiz.terminal.screen import Screen

    if only_new and exam:
        raise UsageError(_("--new and --exam do not go together"))
    screen, bank, store = Screen(plain, language), open_bank(), Store(tell=complain)
    if exam:
        from headcheck.quiz.terminal.exam import Examination

        Examination(screen, bank, store, topic, exam).run()
    else:
        from headcheck.quiz.terminal.practice import Sitting

        Sitting(screen, bank, store, topic, only_new).run()
    return 0


@quiz.command()
@PLAIN_OPTION
@LANGUAGE_OPTION
@one_line_errors
def stats(plain: bool, language: str) -> int:
    """Show how the practice goes, topic by topic."""
    from headcheck.quiz.bank import open_bank
    from headcheck.quiz.progress import Store, now
    from headcheck.quiz.terminal.screen import Screen
    from headcheck.quiz.terminal.stats import show

    show(Screen(plain, language), open_bank(), Store(tell=complain).change(), now())
    return 0


@quiz.command()
@click.argument("kind", type=click.Choice(FORMATS), metavar="|".join(FORMATS))
@click.option("-o", "--output", "path", type=FILE, required=True, help=_("The file to write."))
@click.option(
    "--variants", type=click.IntRange(1, 50), default=3, show_default=True, help=_("So many variants of each question.")
)
@click.option("--graded", is_flag=True, help=_("Give away the answers of the graded questions, too."))
@LANGUAGE_OPTION
@one_line_errors
def export(kind: str, path: Path, variants: int, graded: bool, language: str) -> int:
    """Write the questions for Anki, Moodle, Canvas (QTI), or as a page to print."""
    from headcheck.quiz.bank import open_bank
    from headcheck.quiz.exports import write

    report = write(kind, open_bank(), path, language, variants, graded)
    click.echo(report)
    return 0


@quiz.command()
@click.option("--draws", type=click.IntRange(1), default=1000, show_default=True, help=_("Variants of each question."))
@click.option("--seed", type=int, default=0, show_default=True, help=_("Another seed draws other variants."))
@one_line_errors
def stress(draws: int, seed: int) -> int:
    """Draw every question many times and look for errors and for patterns to guess by."""
    from headcheck.quiz.bank import open_bank
    from headcheck.quiz.stress import stress as run

    bank = {question.id: question for question in open_bank().questions}
    findings = run(bank, draws, seed)
    for finding in findings:
        complain(finding)
    click.echo(
        _("{questions} questions, {draws} draws each: {count} findings").format(
            questions=len(bank), draws=draws, count=len(findings)
        )
    )
    return 1 if findings else 0
