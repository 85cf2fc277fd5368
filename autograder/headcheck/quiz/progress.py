"""What a person has practised: kept in the data folder as readable JSON, written atomically, safe for two terminals."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from headcheck.course.files import write_atomically
from headcheck.errors import UsageError
from headcheck.i18n import _

DATA_VARIABLE = "HEADCHECK_DATA"
"""Environment variable with the folder to use instead of the user's data folder."""

FILE_NAME = "quiz.json"
VERSION = 1
LOCK_SECONDS = 10.0
"""A change takes milliseconds; whoever holds the lock longer hangs."""

Rating = Literal["again", "hard", "good"]
"""Not known; known after a hint or at the second try; known."""

RATINGS: tuple[Rating, ...] = get_args(Rating)


@dataclass(frozen=True)
class Answer:
    """One answered question.

    Args:
        question: id of the question.
        variant: which draw of it, see `headcheck.quiz.bank.variant`.
        given: the last answer as it was typed, one text per part; empty when the person gave up.
        score: share earned, 0 to 1.
        rating: how well it was known.
        mistakes: ids of the misconceptions that showed.
        time: when.
        due: when it should be asked again.
        exam: start of the exam that it belongs to, "" when it was practice.
    """

    question: str
    variant: int
    given: tuple[str, ...]
    score: float
    rating: Rating
    mistakes: tuple[str, ...]
    time: datetime
    due: datetime
    exam: str = ""


@dataclass(frozen=True)
class Exam:
    """An exam that has begun: when, and which questions it asks."""

    started: str
    questions: tuple[str, ...]


@dataclass(frozen=True)
class Progress:
    """All that is kept.

    Args:
        person: a random name; it makes the numbers of this person's questions.
        answers: every answer, in the order in which they were given.
        mistakes: mistakes that `headcheck check` named -> when.
        exam: the exam that is not finished yet.
    """

    person: str = field(default_factory=lambda: secrets.token_hex(8))
    answers: tuple[Answer, ...] = ()
    mistakes: Mapping[str, datetime] = field(default_factory=dict)
    exam: Exam | None = None

    def of(self, question: str) -> list[Answer]:
        """List the answers to one question, oldest first."""
        return [answer for answer in self.answers if answer.question == question]

    def last(self) -> dict[str, Answer]:
        """Return question -> its latest answer."""
        return {answer.question: answer for answer in self.answers}

    def with_answer(self, answer: Answer) -> Progress:
        """Return the progress with one more answer."""
        return replace(self, answers=(*self.answers, answer))

    def with_mistakes(self, mistakes: Iterable[str], when: datetime) -> Progress:
        """Return the progress in which these mistakes were named at this moment."""
        return replace(self, mistakes={**self.mistakes, **dict.fromkeys(mistakes, when)})


def now() -> datetime:
    """Return the moment, in UTC and whole seconds as the file has it."""
    return datetime.now(UTC).replace(microsecond=0)


def data_folder() -> Path:
    """Return the folder for this user's data; it need not exist yet."""
    if chosen := os.environ.get(DATA_VARIABLE):
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("headcheck", appauthor=False)


class Store:
    """The file with a person's progress. Every change is read, made and written under a lock, so none is lost.

    Args:
        folder: where the file lies; None takes the user's data folder.
        tell: told in one sentence when a broken file is kept aside.
    """

    def __init__(self, folder: Path | None = None, tell: Callable[[str], None] = lambda message: None) -> None:
        self.path = (folder or data_folder()) / FILE_NAME
        self._tell = tell

    def change(self, action: Callable[[Progress], Progress] = lambda progress: progress) -> Progress:
        """Bring the file up to date.

        Args:
            action: old progress -> new progress; by default nothing changes, but the file is made when it is missing.

        Returns:
            The progress as it is in the file now, with what other terminals have added.

        Raises:
            UsageError: the folder cannot be written, or a newer headcheck wrote the file.
        """
        from filelock import FileLock, Timeout

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS):
                old = self._read()
                new = action(old or Progress())
                if new != old:
                    write_atomically(self.path, dumps(new))
                return new
        except Timeout as error:
            raise UsageError(_("{file}: another headcheck is holding it").format(file=self.path)) from error
        except OSError as error:
            raise UsageError(
                _("{file}: progress cannot be kept ({reason}); name another folder in {variable}").format(
                    file=self.path, reason=error.strerror or error, variable=DATA_VARIABLE
                )
            ) from error

    def _read(self) -> Progress | None:
        try:
            return loads(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            kept = self._keep_aside()
            self._tell(
                _("{file} cannot be read ({reason}); it is kept as {kept}, and you start afresh").format(
                    file=self.path, reason=error, kept=kept.name
                )
            )
            return None

    def _keep_aside(self) -> Path:
        """Rename the broken file; the name is new, so nothing that was kept before is overwritten."""
        stamp = f"{now():%Y%m%dT%H%M%S}"
        names = [f"{FILE_NAME}.broken-{stamp}", *(f"{FILE_NAME}.broken-{stamp}-{count}" for count in range(2, 1000))]
        kept = next(path for path in map(self.path.with_name, names) if not path.exists())
        self.path.rename(kept)
        return kept


def dumps(progress: Progress) -> str:
    """Write progress as JSON that a person can read.

    Args:
        progress: the progress.

    Returns:
        The text of the file.
    """
    content = {"version": VERSION, **asdict(progress)}
    return json.dumps(content, default=datetime.isoformat, ensure_ascii=False, indent=1) + "\n"


def loads(text: bytes | str) -> Progress:
    """Read progress back.

    Args:
        text: content of the file.

    Returns:
        The progress.

    Raises:
        ValueError: it is not what `dumps` writes; says in a few words why.
        UsageError: a newer headcheck wrote it.
    """
    try:
        content = json.loads(text)
        version = content["version"]
        if isinstance(version, int) and version > VERSION:
            raise UsageError(_("your progress was written by a newer headcheck; please update this one"))
        if version != VERSION:
            raise ValueError(_("the version is unknown"))
        return Progress(
            person=_text(content["person"]),
            answers=tuple(_answer(entry) for entry in content["answers"]),
            mistakes={_text(name): _moment(when) for name, when in content["mistakes"].items()},
            exam=None if content["exam"] is None else _exam(content["exam"]),
        )
    except json.JSONDecodeError as error:
        raise ValueError(_("no JSON in line {line}").format(line=error.lineno)) from error
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(_("something is missing or of another kind")) from error


def _answer(entry: Any) -> Answer:
    return Answer(
        question=_text(entry["question"]),
        variant=_whole(entry["variant"]),
        given=tuple(map(_text, entry["given"])),
        score=_share(entry["score"]),
        rating=_rating(entry["rating"]),
        mistakes=tuple(map(_text, entry["mistakes"])),
        time=_moment(entry["time"]),
        due=_moment(entry["due"]),
        exam=_text(entry["exam"]),
    )


def _exam(entry: Any) -> Exam:
    return Exam(_text(entry["started"]), tuple(map(_text, entry["questions"])))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError(type(value).__name__)
    return value


def _share(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise TypeError("no share")
    return float(value)


def _rating(value: object) -> Rating:
    for rating in RATINGS:
        if value == rating:
            return rating
    raise TypeError("rating")


def _moment(value: str) -> datetime:
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise TypeError("a moment without a time zone")
    return moment
