"""The feedback page: whatever a student wrote is text on it, and it loads nothing."""

from html.parser import HTMLParser

import nbformat
import pytest
from headcheck.grading.verdict import TaskVerdict, Verdict
from headcheck.report.collect import MAX_PRINTED, feedback_page
from headcheck.report.feedback import MAX_HIGHLIGHT, FeedbackPage, TaskSection, render_feedback
from headcheck.report.states import STATE_NAMES

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></details><iframe src=//evil.example></iframe>",
    "</style><link rel=stylesheet href=http://evil.example/a.css>",
    "`</code><script>alert(1)</script>`",
    "`one` and `<b>two</b>`",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "<!-- <svg/onload=alert(1)>",
    "&lt;script&gt; &amp; <",
    "]]><base href=http://evil.example>",
]
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "footer", "section", "div", "h1", "h2", "p", "b", "a"),
    *("progress", "table", "tr", "td", "span", "ul", "li", "details", "summary", "pre", "code"),
}


class Page(HTMLParser):
    """Collects the tags, attributes and text of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text, self.comments = [], [], "", []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.comments.append(data)


def section(text="word", **changes):
    fields = {
        "name": text, "score": 1, "max_score": 2, "state": "partial", "paragraphs": [text, text], "details": [text],
        "mistakes": [text], "code": text, "printed": text, "comment": text, "pending": True,
    }  # fmt: skip
    return TaskSection(**{**fields, **changes})


def page(text="word", tasks=None, **changes):
    fields = {"course": text, "assignment": text, "student": text, "score": 1, "max_score": 2}
    tasks = [section(text)] if tasks is None else tasks
    return FeedbackPage(
        **{**fields, "tasks": tasks, "notes": [text], "isolation": text, "late_penalty": 0.5, **changes}
    )


def assert_harmless(html):
    found = Page(html)
    assert set(found.tags) <= ALLOWED
    assert found.comments == []
    for tag, name, value in found.attributes:
        assert not name.startswith("on"), (tag, name, value)
        assert name not in ("src", "style", "action", "srcdoc", "formaction", "background", "data")
        if name == "href":
            assert value.startswith("#")
    policy = [value for _tag, name, value in found.attributes if name == "content" and "default-src" in value]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
    return found


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_in_every_place_at_once_stays_text(hostile):
    harmless = Page(render_feedback(page())).tags
    found = assert_harmless(render_feedback(page(hostile)))
    assert [tag for tag in found.tags if tag not in ("span", "code")] == [
        t for t in harmless if t not in ("span", "code")
    ]


@pytest.mark.parametrize("hostile", [text for text in HOSTILE if "`" not in text])
@pytest.mark.parametrize("place", ["name", "paragraphs", "details", "mistakes", "code", "printed", "comment"])
def test_hostile_text_of_a_task_can_be_read_as_it_was_written(hostile, place):
    value = [hostile] if place in ("paragraphs", "details", "mistakes") else hostile
    found = assert_harmless(render_feedback(page(tasks=[section(**{place: value})])))
    assert hostile in found.text


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("place", ["course", "assignment", "student", "notes", "isolation"])
def test_hostile_text_of_the_page_can_be_read_as_it_was_written(hostile, place):
    found = assert_harmless(render_feedback(page(**{place: [hostile] if place == "notes" else hostile})))
    assert hostile in found.text


def test_code_that_is_too_long_to_be_coloured_is_escaped_too():
    code = HOSTILE[0] + "#" * MAX_HIGHLIGHT
    found = assert_harmless(render_feedback(page(tasks=[section(code=code)])))
    assert code in found.text


def test_backticks_mark_code_and_an_odd_one_is_left_alone():
    html = render_feedback(page(tasks=[section(paragraphs=["use `x.view` here", "it`s"])]))
    assert "use <code>x.view</code> here" in html
    assert "it`s" in html


@pytest.mark.parametrize("state", STATE_NAMES)
def test_every_state_of_a_verdict_can_be_shown(state):
    assert STATE_NAMES[state] in Page(render_feedback(page(tasks=[section(state=state)]))).text


@pytest.mark.parametrize(("score", "maximum", "share"), [(1, 2, 0.5), (5, 2, 1), (-1, 2, 0), (0, 0, 0), (1, 0, 0)])
def test_the_bar_shows_a_share_between_nothing_and_all(score, maximum, share):
    attributes = Page(render_feedback(page(score=score, max_score=maximum))).attributes
    (value,) = [value for tag, name, value in attributes if (tag, name) == ("progress", "value")]
    assert float(value) == share


def test_an_empty_page_is_a_page():
    found = assert_harmless(render_feedback(page(tasks=[], notes=[], late_penalty=0)))
    assert "Late" not in found.text


def test_points_are_shown_short():
    assert "1.33 / 2" in Page(render_feedback(page(score=4 / 3))).text


GRADED = {"grade": True, "grade_id": "a_tests", "locked": True, "points": 2, "schema_version": 3, "solution": False}
ANSWER = {"grade": False, "grade_id": "a", "locked": False, "schema_version": 3, "solution": True}


def stored(tests_outputs=(), answer_outputs=(), graded=(), answer=(), state="partial", named=True):
    """A notebook as autograde stores it, with the scores that nbgrader's GetGrades puts in."""
    task = TaskVerdict("a", 1, 2, state, "First.\n\nSecond.", ("squared",))
    form = Verdict("n", "tiny", 1, 2, "A", (task,)).to_json()["tasks"][0]
    verdict_text = nbformat.v4.new_output("stream", name="stdout", text="headcheck: 1 of 2 points")
    cells = [
        nbformat.v4.new_markdown_cell("Prose."),
        nbformat.v4.new_code_cell(
            "x = 1", outputs=list(answer_outputs), metadata={"nbgrader": {**ANSWER, **dict(answer)}}
        ),
        nbformat.v4.new_code_cell("assert x", outputs=[*tests_outputs, verdict_text]),
    ]
    cells[2].metadata = nbformat.from_dict(
        {"nbgrader": {**GRADED, **dict(graded)}, "headcheck": {**form, "details": ["d"], "named": named}}
    )
    metadata = {"headcheck": {"isolation": "A", "notes": ["a note"]}}
    return nbformat.from_dict(nbformat.v4.new_notebook(cells=cells, metadata=metadata))


RESOURCES = {"nbgrader": {"assignment": "tiny", "student": "ann", "score": 1.0, "max_score": 2.0, "late_penalty": None}}


def test_the_page_is_collected_from_the_verdict_and_the_gradebook():
    found = feedback_page(stored(graded={"score": 1.5}), RESOURCES, "Course")
    assert (found.course, found.assignment, found.student, found.late_penalty) == ("Course", "tiny", "ann", 0)
    assert (found.notes, found.isolation) == (["a note"], "A")
    (task,) = found.tasks
    assert (task.name, task.score, task.max_score, task.state) == ("a", 1.5, 2, "partial")
    assert (task.paragraphs, task.details, task.mistakes) == (["First.", "Second."], ["d"], ["squared"])
    assert task.code == "x = 1"


def test_the_ids_of_mistakes_are_not_shown_where_the_course_does_not_name_them():
    (task,) = feedback_page(stored(named=False), RESOURCES, "Course").tasks
    assert task.mistakes == []


def test_prints_errors_and_results_of_answer_and_check_are_shown_without_the_verdict_line():
    out = nbformat.v4.new_output
    answer = [out("stream", name="stdout", text="printed\n"), out("execute_result", data={"text/plain": "7"})]
    error = [out("error", ename="E", evalue="v", traceback=["Cell 1, line 1", "E: v"])]
    (task,) = feedback_page(stored(error, answer), RESOURCES, "Course").tasks
    assert task.printed == "printed\n7\nCell 1, line 1\nE: v\n"


def test_endless_prints_are_cut():
    endless = [nbformat.v4.new_output("stream", name="stdout", text="x" * (2 * MAX_PRINTED))]
    (task,) = feedback_page(stored(endless), RESOURCES, "Course").tasks
    assert len(task.printed) == MAX_PRINTED


def test_html_among_the_outputs_is_not_shown():
    html = [nbformat.v4.new_output("display_data", data={"text/html": HOSTILE[0]})]
    html += [nbformat.v4.new_output("execute_result", data={"text/html": HOSTILE[0]})]
    (task,) = feedback_page(stored(html), RESOURCES, "Course").tasks
    assert "script" not in task.printed


@pytest.mark.parametrize(
    ("comment", "shown"), [("Well done.", "Well done."), ("No response.", ""), (None, ""), ("", "")]
)
def test_a_persons_comment_is_shown_and_nbgraders_own_remark_is_not(comment, shown):
    (task,) = feedback_page(stored(answer={"comment": comment}), RESOURCES, "Course").tasks
    assert task.comment == shown


@pytest.mark.parametrize(("score", "pending"), [(None, True), (0, True), (1.0, False)])
def test_a_written_answer_is_pending_until_a_person_gave_points(score, pending):
    (task,) = feedback_page(stored(graded={"score": score}, state="manual"), RESOURCES, "Course").tasks
    assert task.pending is pending


def test_a_task_whose_answer_cell_is_gone_is_shown_without_code():
    notebook = stored()
    notebook.cells = [cell for cell in notebook.cells if cell.source != "x = 1"]
    (task,) = feedback_page(notebook, RESOURCES, "Course").tasks
    assert (task.code, task.comment) == ("", "")
