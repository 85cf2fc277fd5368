"""`headcheck quiz site`: the practice page for a web server, a zip file or a phone."""

from __future__ import annotations

from pathlib import Path

import click

from headcheck.cli.common import FOLDER, one_line_errors
from headcheck.cli.quiz import quiz
from headcheck.i18n import _


@quiz.command()
@click.argument("folder", type=FOLDER, metavar="OUT")
@click.option(
    "--variants", type=click.IntRange(1, 50), default=8, show_default=True, help=_("So many variants of each question.")
)
@one_line_errors
def site(folder: Path, variants: int) -> int:
    """Write the practice page into the folder OUT; it works from a web server, offline and from a file."""
    from headcheck.quiz.bank import open_bank
    from headcheck.quiz.site import Site, build_site
    from headcheck.quiz.texts import LANGUAGES

    build_site(Site(open_bank(), LANGUAGES, variants), folder)
    click.echo(_("open {page}").format(page=folder / "index.html"))
    return 0
