"""Exports: what is given away, that bytes repeat, and the page to print."""

import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser

import pytest
from headcheck.errors import UsageError
from headcheck.quiz import Integer, Number
from headcheck.quiz.bank import open_bank
from headcheck.quiz.exports import WRITERS, export_items, printed, write
from headcheck.quiz.items import Item, spellings
from headcheck.quiz.markup import Markup, canvas_image, delimited, mathml

VARIANTS = 3
BANK = open_bank()
ITEMS = export_items(BANK, "en", VARIANTS)


def test_every_question_is_there_with_its_variants_unless_it_would_tell_a_graded_answer():
    counts = Counter(item.question.id for item in ITEMS)
    missing = {question.id for question in BANK.questions} - set(counts)
    assert missing == {"q06", "q08", "q09", "q11", "q12"}
    assert set(counts.values()) == {VARIANTS}


def test_no_variant_has_an_answer_of_the_graded_one_not_even_in_a_part():
    for item in export_items(BANK, "en", 20):
        if item.question.id in BANK.graded:
            graded = Item(item.question, item.question.lesson, 0, "en")
            pairs = zip(item.fields, graded.fields, strict=True)
            assert all(ours.right != theirs.right for ours, theirs in pairs), item.id


def test_all_questions_are_there_when_the_graded_answers_may_be_told():
    items = export_items(BANK, "en", 1, graded=True)
    assert [item.question.id for item in items] == [question.id for question in BANK.questions]


def test_the_variants_of_a_question_differ_in_their_numbers():
    for question in BANK.questions:
        prompts = [
            item.prompt + str([field.right for field in item.fields]) for item in ITEMS if item.question is question
        ]
        drawn = [item.params for item in ITEMS if item.question is question]
        assert len({repr({**params, "order": ()}) for params in drawn}) == len(prompts)


@pytest.mark.parametrize("kind", WRITERS)
def test_the_same_bank_gives_the_same_bytes_at_any_time(kind, tmp_path):
    code = (
        "import sys; from pathlib import Path; from headcheck.quiz.exports import write\n"
        "from headcheck.quiz.bank import open_bank; import time; time.time = lambda: 2e9\n"
        "write(sys.argv[1], open_bank(), Path(sys.argv[2]), 'en', 2, False)"
    )
    subprocess.run([sys.executable, "-c", code, kind, tmp_path / "one"], check=True)
    write(kind, BANK, tmp_path / "two", "en", 2, False)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_report_names_what_was_left_out(tmp_path):
    report = write("moodle", BANK, tmp_path / "bank.xml", "en", 2, False)
    assert "q06, q08, q09, q11, q12" in report
    assert "Left out" not in write("moodle", BANK, tmp_path / "bank.xml", "en", 2, True)


def test_a_file_that_cannot_be_written_is_told_and_an_old_one_is_kept(tmp_path, monkeypatch):
    file = tmp_path / "bank.xml"
    file.write_text("old")

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UsageError, match="No space left"):
        write("moodle", BANK, file, "en", 1, False)
    assert [path.name for path in tmp_path.iterdir()] == ["bank.xml"]
    assert file.read_text() == "old"


def test_every_spelling_is_read_as_the_same_answer():
    """What other systems compare letter by letter is what headcheck would accept."""
    for item in ITEMS:
        for field in item.fields:
            for text in spellings(field.kind, field.right):
                if "," not in text or not isinstance(field.kind, (Integer, Number)):  # "1,088" may be 1.088 elsewhere
                    assert field.kind.judge(field.right, field.kind.parse(text)).fraction == 1, (item.id, text)


class Page(HTMLParser):
    """Collects ids, text and whatever a page would load."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.loaded, self.words, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.loaded += [values[name] for name in ("src", "href") if name in values]
        if tag not in ("meta", "br", "hr", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_printed_page_has_every_variant_and_loads_nothing():
    page = Page(printed.render(BANK, ITEMS, "en").decode())
    assert sorted(page.ids) == sorted(item.id for item in ITEMS)
    assert page.loaded == []
    assert page.open == []
    assert "$" not in "".join(page.words)


def test_the_page_without_answers_tells_none_and_the_other_tells_all():
    markup = Markup(mathml)
    questions, key = (render(BANK, ITEMS, "en").decode() for render in (printed.render, printed.render_with_answers))
    for item in ITEMS:
        assert markup.block(item.explanation) not in questions
        assert markup.block(item.explanation) in key
        assert markup.block(item.prompt) in questions
        for field in item.fields:
            assert markup.block(field.told) in key
            assert all(markup.line(slip.sentence) in key for slip in field.slips)


def test_tags_in_a_text_are_shown_and_not_obeyed():
    for formula in (delimited, canvas_image, mathml):
        text = Markup(formula).block("<script>x</script> $a < b$ `<b>`")
        assert "<script>" not in text
        assert "<b>" not in text
