"""The practice page: one static folder that works from a web server, offline and from a file."""

from headcheck.quiz.site.build import Site, build_site
from headcheck.quiz.site.data import questions_data

__all__ = ["Site", "build_site", "questions_data"]
