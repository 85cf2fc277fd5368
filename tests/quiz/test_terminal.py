"""The quiz in a terminal: what is typed, what is told, what is kept."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import headcheck
import pytest
from click.testing import CliRunner
from headcheck.cli import main
from headcheck.grading.verdict import TaskVerdict, Verdict
from headcheck.quiz import Malformed
from headcheck.quiz.bank import remember_mistakes, variant
from headcheck.quiz.items import Item
from headcheck.quiz.terminal.screen import Asking, Screen
from headcheck.quiz.terminal.text import formula, readable
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typist import BANK, BY_ID, kept, outcomes, quiz, right

pytestmark = pytest.mark.usefixtures("own_data")


def test_it_runs_from_any_folder_without_torch_and_the_like(tmp_path):
    code = (
        "import sys; from headcheck.cli import main\n"
        "try: main(['quiz'])\n"
        "except SystemExit as end: status = end.code\n"
        "print(status, {'torch', 'numpy', 'pytest', 'nbgrader', 'matplotlib'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], input=".\nq\n", capture_output=True, text=True, cwd=tmp_path)
    assert told.stdout.splitlines()[-1] == "0 set()", told
    assert "Width of one head" in told.stdout
    assert outcomes() == [("q01", "again", 0.0)]


def test_a_right_answer_is_told_explained_and_kept():
    typed = right("q01")
    told = quiz(typed=[*typed, "q"]).output
    assert "Right." in told
    assert readable(BY_ID["q01"].explanation(variant(BY_ID["q01"], kept().person, 1))) in told
    assert "The answer:" not in told
    assert "from_scratch" in told
    assert "1 of 1 right" in told
    assert outcomes() == [("q01", "good", 1.0)]


def test_a_malformed_answer_costs_no_try():
    typed = right("q01")
    told = quiz(typed=["many", "", "8.5", "(1, 2)", *typed, "q"]).output
    assert told.count("costs no try") == 3
    assert outcomes() == [("q01", "good", 1.0)]


def test_a_shape_with_another_number_of_axes_than_was_told_costs_no_try():
    quiz(typed=[*right("q01"), "q"])
    typed = right("q02")
    told = quiz(typed=["(2, 3)", *typed, "q"]).output
    assert "was not judged" in told
    assert outcomes()[-1] == ("q02", "good", 1.0)


def test_a_wrong_answer_is_named_and_may_be_mended_once():
    kept()
    question = BY_ID["q01"]
    params = variant(question, kept().person, 1)
    told = quiz(typed=[params["d_model"], *right("q01"), "q"]).output
    assert "This is the width of the whole model." in told
    assert "Try once more." in told
    assert outcomes() == [("q01", "hard", 1.0)]
    assert kept().answers[0].mistakes == ("d-model-for-d-k",)


def test_after_two_wrong_answers_the_right_one_is_told():
    typed = right("q01")
    told = quiz(typed=["999", "998", "q"]).output
    assert f"The answer:\n{typed[0]}\n" in told
    assert outcomes() == [("q01", "again", 0.0)]


def test_a_hint_is_given_on_request_and_counts():
    told = quiz(typed=["?", *right("q01"), "q"]).output
    assert "Hint: Together the heads fill the model width exactly" in told
    assert outcomes() == [("q01", "hard", 1.0)]


def test_who_gives_up_is_told_the_answer():
    typed = right("q01")
    told = quiz(typed=[".", "q"]).output
    assert f"The answer:\n{typed[0]}\n" in told
    assert outcomes() == [("q01", "again", 0.0)]


def test_a_part_that_was_right_need_not_be_typed_again():
    typed = right("q04")
    told = quiz("--topic", "parameters", typed=[typed[0], "1", typed[1], "q"]).output
    assert "Part 1: Right." in told
    assert outcomes() == [("q04", "hard", 1.0)]
    assert kept().answers[0].given == tuple(typed)


class Script(Screen):
    """A screen that reads from a list and remembers what it shows."""

    def __init__(self, typed):
        super().__init__(plain=True)
        self.typed, self.shown = list(typed), []

    def line(self, text="", style=""):
        self.shown.append(text)

    def read(self):
        return self.typed.pop(0)


@pytest.mark.parametrize("name", BY_ID)
def test_every_question_can_be_answered_and_no_formula_stays_in_tex(name):
    question = BY_ID[name]
    for number in range(1, 4):
        params = variant(question, "somebody", number)
        item = Item(question, params, number, "en")
        screen = Script(["?", *(field.text for field in item.fields)])
        outcome = Asking(screen, question, params).ask()
        screen.text(item.explanation)
        assert outcome.right, (outcome, screen.shown)
        assert screen.typed == []
        text = "\n".join(screen.shown)
        assert "$" not in text
        assert "\\" not in text


@pytest.mark.parametrize("name", BY_ID)
def test_no_command_is_an_answer(name):
    """`?`, `.` and `q` mean the same at every prompt."""
    question = BY_ID[name]
    params = variant(question, "somebody", 1)
    for field in Item(question, params, 1, "en").fields:
        for command in "?.q":
            with pytest.raises(Malformed):
                field.kind.parse(command)


def test_an_answered_question_is_not_asked_again_on_the_same_day():
    quiz(typed=[*right("q01"), "q"])
    assert "Width of one head" not in quiz(typed=["q"]).output


def test_what_was_not_known_comes_back_with_other_numbers_before_the_sitting_ends():
    first, *others = topic("costs")
    told = quiz("--topic", "costs", typed=[".", *(line for name in others for line in right(name)), *right(first, 2)])
    assert [name for name, _rating, _score in outcomes()] == [first, *others, first]
    assert [answer.variant for answer in kept().of(first)] == [1, 2]
    assert variant(BY_ID[first], kept().person, 1) != variant(BY_ID[first], kept().person, 2)
    assert f"{len(others) + 1} of {len(others) + 2} right" in told.output


def topic(name):
    return [question.id for question in BANK.about(name)]


def test_a_topic_is_asked_to_its_end_and_only_it():
    typed = [line for name in topic("costs") for line in right(name)]
    quiz("--topic", "costs", typed=typed)
    assert [name for name, _rating, _score in outcomes()][: len(topic("costs"))] == topic("costs")
    assert {BY_ID[name].topic for name, _rating, _score in outcomes()} == {"costs"}


def test_new_asks_only_what_was_never_asked():
    typed = [line for name in topic("costs") for line in right(name)]
    quiz("--topic", "costs", typed=typed[:-1])
    told = quiz("--new", "--topic", "costs", typed=right(topic("costs")[-1])).output
    assert told.count("new)") == 1
    assert "There are no new questions left." in told


def test_when_nothing_is_due_it_says_when_something_will_be():
    told = quiz(typed=[line for question in BANK.questions for line in right(question.id)]).output
    assert "the next question is due on 20" in told
    assert f"{len(BANK.questions)} of {len(BANK.questions)} right" in told


def test_a_mistake_of_a_notebook_is_asked_about_first():
    remember_mistakes(["pad-mask-inverted"])
    told = quiz(typed=["q"]).output
    (first,) = [line for line in told.splitlines() if line.startswith("1. ")]
    assert first.endswith("; a mistake in your notebook is about this)")


def task(state, mistake, named=True):
    return TaskVerdict("t", 0, 1, state, "message", (mistake,), named=named)


@pytest.fixture
def verdict(monkeypatch):
    """Let `headcheck check` find these tasks, without a jail."""
    tasks = (
        task("incorrect", "pad-mask-inverted"),
        task("not_attempted", "split-view-no-transpose"),
        task("correct", "scale-missing"),
        task("incorrect", "scale-twice", named=False),
    )
    found = Verdict("n.ipynb", "bug_hunt", 0, 4, "A", tasks)
    monkeypatch.setattr("headcheck.grading.check.check_notebooks", lambda folder, paths: iter([found]))
    monkeypatch.setattr("headcheck.jail.launcher.launch_ahead", lambda: None)


def test_check_remembers_the_mistakes_that_were_made_and_may_be_named(verdict):
    told = CliRunner().invoke(main, ["check", "n.ipynb"])
    assert told.stdout.splitlines()[-1] == "Practise this: headcheck quiz --topic masks"
    assert set(kept().mistakes) == {"pad-mask-inverted"}


def test_check_for_programs_remembers_nothing(verdict):
    told = CliRunner().invoke(main, ["check", "--json", "n.ipynb"])
    assert len(told.stdout.splitlines()) == 1
    assert kept().mistakes == {}


def test_ctrl_c_keeps_what_was_answered(tmp_path):
    command = [sys.executable, "-u", "-c", "from headcheck.cli import main; main(['quiz', '--plain'])"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    process.stdin.write(".\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("2. "):
            break
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Your progress is kept" in told
    assert "Traceback" not in complaints
    assert [name for name, _rating, _score in outcomes()] == ["q01"]


def test_statistics_go_by_topic():
    assert "Nothing practised yet" in quiz("stats").output
    params = variant(BY_ID["q01"], kept().person, 1)
    quiz(typed=[params["d_model"], "1000", "q"])
    quiz(typed=["q"])
    told = quiz("stats", "--plain").output
    (row,) = [line for line in told.splitlines() if "shapes and sizes" in line]
    assert row.split()[3:] == [f"1/{len(topic('shapes'))}", "1", "0", "%", "0"]
    assert "Most frequent misconceptions: d-model-for-d-k (1)" in told
    for name in BANK.topics:
        assert BANK.topic_name(name, "en") in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--topic", "cooking"], "masks"),
        (["--exam", "500"], "there are only"),
        (["--exam", "0"], "0"),
        (["--language", "xx"], "en"),
        (["--new", "--exam", "3"], "--new"),
        (["--topic", "masks", "stats"], "stats"),
        (["export", "word", "-o", "x"], "anki"),
        (["export", "anki", "-o", "."], "."),
        (["export", "anki", "-o", ""], "."),
        (["export", "anki", "-o", "/dev/null/x"], "/dev/null/x"),
    ],
)
def test_wrong_usage_is_one_line(arguments, words):
    result = quiz(*arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert words in result.stderr


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEADCHECK_DATA", str(tmp_path / "file" / "folder"))
    result = quiz(typed=["q"])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_a_broken_progress_file_is_told_and_practice_goes_on(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "quiz.json").write_text("{")
    result = quiz(typed=["q"])
    assert "broken-" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert "Width of one head" in result.stdout


def test_a_bank_with_an_error_is_one_line(tmp_path):
    folder = tmp_path / "course" / "assignments" / "quiz" / "bank"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("BANK = 1 / 0")
    (tmp_path / "course" / "headcheck.toml").write_text('[course]\nassignments = ["quiz"]\n')
    told = subprocess.run(
        [sys.executable, "-c", "from headcheck.cli import main; main(['quiz'])"],
        cwd=tmp_path / "course",
        capture_output=True,
        text=True,
    )
    assert told.returncode == 2
    assert len(told.stderr.splitlines()) == 1
    assert str(folder.relative_to(tmp_path)) in told.stderr


def test_without_a_course_it_is_one_line(tmp_path):
    """As after an installation without a checkout."""
    package = tmp_path / "installed" / "headcheck"
    shutil.copytree(Path(headcheck.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    told = subprocess.run(
        [sys.executable, "-c", "from headcheck.cli import main; main(['quiz'])"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 2
    assert told.stderr.startswith("headcheck: no question bank found")
    assert len(told.stderr.splitlines()) == 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=30), max_size=12))
def test_whatever_is_typed_ends_without_a_traceback(typed):
    assert quiz("--topic", "module", typed=typed).exit_code == 0
    assert quiz("--exam", 3, typed=typed).exit_code == 0


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1252"])
def test_a_console_that_lacks_signs_shows_the_rest(tmp_path, encoding):
    command = [sys.executable, "-c", "from headcheck.cli import main; main(['quiz', '--topic', 'shapes'])"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    told = subprocess.run(command, input=b".\n.\n\xff\n.\nq\n", capture_output=True, cwd=tmp_path, env=environment)
    assert told.returncode == 0, told.stderr
    assert b"softmax" in told.stdout


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [([], {}, True), ([], {"NO_COLOR": "1"}, False), (["--plain"], {}, False)],
)
def test_colours_can_be_switched_off(monkeypatch, options, variables, coloured):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    told = quiz(*options, typed=["q"]).stdout
    assert ("\x1b[1;36m" in told) == coloured
    if options:
        assert "\x1b" not in told


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"d_{model} = 64", "d_model = 64"),
        (r"\mathrm{softmax}(Q K^T / \sqrt{d_k})", "softmax(Q K^T / √d_k)"),
        (r"\frac{a + b}{2n} \approx 3", "(a + b)/2n ≈ 3"),
        (r"\sqrt{\frac{p (1 - p)}{n}}", "√((p (1 - p))/n)"),
        (r"x^{n-1} \cdot y_{i,j}", "x^(n-1) · y_(i,j)"),
        (r"\{1, 2\}", "{1, 2}"),
    ],
)
def test_formulas_are_written_as_people_type_them(tex, text):
    assert formula(tex) == text
    assert readable(f"So ${tex}$ and `$x$`.") == f"So {text} and `$x$`."
