"""Progress is kept whatever happens: two terminals, a broken file, a full disk, a newer version."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fsrs import Card, Rating, Scheduler
from headcheck.errors import UsageError
from headcheck.quiz import misconceptions
from headcheck.quiz.bank import open_bank, remember_mistakes
from headcheck.quiz.progress import RATINGS, Answer, Exam, Progress, Store, data_folder, dumps, loads
from headcheck.quiz.schedule import AGAIN_SOON, comes_back_soon, due_after, next_question, why_now
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
BANK = open_bank()


def answer(question="q01", when=NOON, rating="good", due=None, **more):
    fields = {"variant": 1, "given": ("8",), "score": 1.0, "mistakes": ()}
    return Answer(question=question, rating=rating, time=when, due=due or when + timedelta(days=2), **fields | more)


moments = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))
answers = st.builds(
    Answer,
    question=st.text(),
    variant=st.integers(0, 10**6),
    given=st.lists(st.text(), max_size=3).map(tuple),
    score=st.floats(0, 1),
    rating=st.sampled_from(RATINGS),
    mistakes=st.lists(st.text(), max_size=3).map(tuple),
    time=moments,
    due=moments,
    exam=st.text(),
)
exams = st.none() | st.builds(Exam, started=st.text(), questions=st.lists(st.text(), max_size=4).map(tuple))
progresses = st.builds(
    Progress,
    person=st.text(),
    answers=st.lists(answers, max_size=4).map(tuple),
    mistakes=st.dictionaries(st.text(), moments, max_size=3),
    exam=exams,
)


@given(progresses)
def test_what_is_written_is_read_back(progress):
    assert loads(dumps(progress)) == progress


@given(st.text() | st.binary())
def test_no_text_is_read_as_progress_or_breaks_the_reader(text):
    with pytest.raises(ValueError, match=r"\w"):
        loads(text)


plain_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(["person", "answers", "mistakes", "exam", "version"]), plain_json)
def test_a_field_of_another_kind_is_refused_or_harmless(field, value):
    """Whatever a hand edit leaves behind, the reader refuses it or its result can be used."""
    content = json.loads(dumps(Progress(answers=(answer(),)))) | {field: value}
    usable_or_refused(content)


@given(st.sampled_from(list(json.loads(dumps(Progress(answers=(answer(),))))["answers"][0])), plain_json)
def test_a_field_of_an_answer_of_another_kind_is_refused_or_harmless(field, value):
    content = json.loads(dumps(Progress(answers=(answer(),))))
    content["answers"][0][field] = value
    usable_or_refused(content)


def usable_or_refused(content):
    try:
        read = loads(json.dumps(content))
    except (ValueError, UsageError):
        return
    assert loads(dumps(read)) == read
    assert isinstance(read.last(), dict)


def test_the_file_is_readable_and_tells_when_a_question_is_due(tmp_path):
    Store(tmp_path).change(lambda progress: progress.with_answer(answer()))
    content = json.loads((tmp_path / "quiz.json").read_text(encoding="utf-8"))
    assert content["version"] == 1
    assert content["answers"][0]["due"] == "2026-12-02T12:00:00+00:00"
    assert "\n" in (tmp_path / "quiz.json").read_text(encoding="utf-8").strip()


def test_two_terminals_at_once_lose_no_answer(tmp_path):
    code = (
        "import sys; from pathlib import Path; from datetime import UTC, datetime\n"
        "from headcheck.quiz.progress import Answer, Store\n"
        "store, now = Store(Path(sys.argv[1])), datetime.now(UTC)\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for place in range(30):\n"
        "    answer = Answer(sys.argv[2], place, (), 1.0, 'good', (), now, now)\n"
        "    store.change(lambda progress: progress.with_answer(answer))\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    terminals = [subprocess.Popen([sys.executable, "-c", code, tmp_path, name], **pipes) for name in ("q01", "q02")]
    for terminal in terminals:
        assert terminal.stdout.readline() == "ready\n"
    for terminal in terminals:
        terminal.stdin.write("\n")
        terminal.stdin.flush()
    assert [terminal.wait(60) for terminal in terminals] == [0, 0]
    kept = Store(tmp_path).change()
    for name in ("q01", "q02"):
        assert [each.variant for each in kept.of(name)] == list(range(30))
    for terminal in terminals:
        terminal.stdin.close()
        terminal.stdout.close()


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"version": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_broken_file_is_kept_aside_and_told(tmp_path, broken):
    file = tmp_path / "quiz.json"
    told = []
    for _time in range(2):
        file.write_bytes(broken)
        assert Store(tmp_path, told.append).change().answers == ()
    kept = [path for path in tmp_path.iterdir() if path.name.startswith("quiz.json.broken-")]
    assert [path.read_bytes() for path in kept] == [broken, broken]
    assert len(told) == 2
    assert all(kept_file.name in " ".join(told) for kept_file in kept)
    assert loads(file.read_bytes()).answers == ()


def test_the_file_of_a_newer_headcheck_is_left_alone(tmp_path):
    file = tmp_path / "quiz.json"
    file.write_text('{"version": 2, "something": "new"}')
    with pytest.raises(UsageError, match="newer"):
        Store(tmp_path).change()
    assert file.read_text() == '{"version": 2, "something": "new"}'


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="HEADCHECK_DATA") as told:
        Store(tmp_path / "file" / "folder").change()
    assert len(str(told.value).splitlines()) == 1


def test_a_failing_write_leaves_the_old_file(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.change(lambda progress: progress.with_answer(answer()))
    before = store.path.read_bytes()

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        store.change(lambda progress: progress.with_answer(answer("q02")))
    assert store.path.read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]


def test_the_data_folder_can_be_named(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADCHECK_DATA", str(tmp_path / "here"))
    assert data_folder() == tmp_path / "here"
    monkeypatch.delenv("HEADCHECK_DATA")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        assert data_folder() == tmp_path / "headcheck"


def test_a_known_question_comes_back_later_and_later():
    history, when, waits = [], NOON, []
    for _time in range(4):
        due = due_after(history, "good", when)
        history.append(answer(when=when, due=due))
        waits.append(due - when)
        when = due
    assert waits == sorted(set(waits))
    assert waits[0] >= timedelta(days=1)


def test_what_was_not_known_comes_back_in_the_same_sitting():
    due = due_after([answer()], "again", NOON + timedelta(days=2))
    assert due == NOON + timedelta(days=2) + AGAIN_SOON
    wrong = replace(answer(rating="again"), due=NOON + AGAIN_SOON)
    assert comes_back_soon(BANK.questions[0], {"q01": wrong}, NOON)
    assert not comes_back_soon(BANK.questions[0], {"q01": answer()}, NOON)


def test_the_schedule_is_that_of_fsrs():
    scheduler = Scheduler(learning_steps=[AGAIN_SOON], relearning_steps=[AGAIN_SOON], enable_fuzzing=False)
    card, history, when = Card(card_id=7, due=NOON), [], NOON
    for rating in ("good", "hard", "again", "good", "good"):
        card, _log = scheduler.review_card(card, getattr(Rating, rating.title()), when)
        due = due_after(history, rating, when)
        assert due == card.due.replace(microsecond=0)
        history.append(answer(when=when, rating=rating, due=due))
        when = due


def anything(question, why):
    return True


def test_what_is_due_is_asked_before_what_is_new_and_the_longest_due_first():
    first, second, third = BANK.questions[:3]
    old = answer(second.id, NOON - timedelta(days=9), due=NOON - timedelta(days=7))
    newer = answer(first.id, NOON - timedelta(days=3), due=NOON - timedelta(days=1))
    progress = Progress(answers=(old, newer))
    chosen = [third, first, second]
    assert next_question(chosen, progress, NOON, anything) == (second, "due")
    assert next_question(chosen, progress.with_answer(answer(second.id)), NOON, anything) == (first, "due")
    assert next_question([third], progress, NOON, anything) == (third, "new")
    assert why_now(first, Progress(answers=(answer(first.id),)), {first.id: answer(first.id)}, NOON) == "later"


def test_a_mistake_in_a_notebook_brings_its_question_forward_until_it_is_answered():
    about = next(question for question in BANK.questions if "pad-mask-inverted" in misconceptions(question))
    progress = Progress(answers=(answer(about.id, NOON - timedelta(days=1)),))
    assert why_now(about, progress, progress.last(), NOON) == "later"
    progress = progress.with_mistakes(["pad-mask-inverted"], NOON)
    assert why_now(about, progress, progress.last(), NOON) == "mistake"
    assert next_question(BANK.questions, progress, NOON, anything)[1] == "mistake"
    progress = progress.with_answer(answer(about.id, NOON + timedelta(seconds=9)))
    assert why_now(about, progress, progress.last(), NOON + timedelta(seconds=10)) == "later"


def test_mistakes_of_a_notebook_are_remembered_and_a_topic_is_advised(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADCHECK_DATA", str(tmp_path))
    assert "--topic masks" in remember_mistakes(["pad-mask-inverted", "nobody-asks-about-this"])
    assert set(Store(tmp_path).change().mistakes) == {"pad-mask-inverted"}
    assert remember_mistakes(["nobody-asks-about-this"]) == ""


def test_remembering_a_mistake_never_disturbs_the_grading(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEADCHECK_DATA", str(tmp_path / "file" / "folder"))
    assert remember_mistakes(["pad-mask-inverted"]) == ""
