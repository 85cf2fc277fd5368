"""The practice page in a real browser: a round by keyboard, offline, from a file, in a notebook."""

import functools
import http.server
import json
import threading
from urllib.parse import urlparse

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from headcheck.quiz import parsing
from headcheck.quiz.bank import open_bank
from headcheck.quiz.site import Site, build_site
from headcheck.quiz.site.build import inline_page
from headcheck.quiz.texts import LANGUAGES
from lab import Notebook, running_lab

READY = "#question[aria-busy=false]"

NUMBERS = """16640|16_640|16,640|16.640|8,000|8.000|1,234,567|4224.0|4224,0|4.5|-3|+7|1e3|x|007|12a|9999999999999999999|
2.83|2,83|2,828|1.234|sqrt(8)|8**0.5|8^0.5|1/3|-2**2|2**-1|2**3**2|math.sqrt(8)|√8|3*(4+5)|1/0|(1|nan|inf|.5|5.|1e400|
16 640|1 000 000|1'000|5\u00a0000|\u22123|2 * 3|sqrt 8|2 3| 5 ||00|0.5.5|1,2,3|--2|2e"""
SHAPES = """(4,8,10,8)|[4,8,10,8]|4x8x10x8|4×8×10×8|torch.Size([2,3])|(3,)|3|()|(4,-1)|4;8|(4,8.5)|4*8|4 8 10|
(4, 8, 10, 8)"""
TYPED = f"{NUMBERS}|{SHAPES}".replace("\n", "").split("|")

READ = """([typed, language]) => Object.fromEntries(['integer', 'number', 'shape'].map((kind) => {
    try { return [kind, Parse[kind](typed, language)]; } catch (error) {
        if (!(error instanceof Parse.Unread)) throw error;
        return [kind, null];
    }
}))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page") / "site"
    build_site(Site(open_bank(), LANGUAGES), folder)
    return folder


@pytest.fixture(scope="module")
def address(site):
    """The page on a web server of its own."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def context(browser):
    """A fresh browser profile."""
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def page(context, address):
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda message: message.type in ("error", "warning") and page.problems.append(message.text))
    page.goto(address)
    page.wait_for_selector(READY)
    yield page
    assert page.problems == []


def current(page):
    """The question on the page, and its variant, from the page's own data."""
    data = json.loads(page.locator("#content").text_content())
    title = page.locator("#question h2").evaluate("element => element.textContent")
    return data, title


def progress(page):
    return json.loads(page.evaluate("localStorage.getItem('headcheck:practice')") or '{"questions": {}}')["questions"]


def test_a_whole_round_works_by_keyboard_alone(page):
    for key in ("Tab",) * 30:
        page.keyboard.press(key)
        if page.evaluate("document.activeElement.id") == "answer-0":
            break
    page.keyboard.type("no number")
    page.keyboard.press("Enter")
    assert "costs nothing" in page.locator("#feedback").inner_text()
    assert progress(page) == {}
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") in ("right", "wrong", "partial")
    assert progress(page)["q01"]["seen"] == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Next question"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "question"
    assert page.locator("#question h2").inner_text() != "Width of one head"


def test_the_right_answers_are_right_and_named_wrong_ones_are_named(page):
    """Every question and every variant, judged by the page's own script."""
    found = page.evaluate(
        """() => {
        const content = JSON.parse(document.getElementById('content').textContent);
        const odd = [];
        for (const question of content.questions) for (const variant of question.variants) {
            question.parts.forEach((part, index) => {
                const judged = Judge.judgePart(question, variant, index, variant.answers[index]);
                if (judged.fraction !== 1) odd.push([question.id, 'right answer refused']);
            });
            question.wrong.forEach((wrong, place) => {
                const index = question.parts.findIndex((part) => part.name === wrong.part);
                const several = question.parts[index].kind === 'choices';
                const right = variant.answers[index], value = variant.wrong[place];
                const other = () => right.includes(value) ? right.filter((o) => o !== value) : [...right, value];
                const given = several ? other() : value;
                const judged = Judge.judgePart(question, variant, index, given);
                if (judged.fraction === 1 || !judged.mistakes.includes(wrong.id)) odd.push([question.id, wrong.id]);
            });
        }
        return odd;
    }"""
    )
    assert found == []


def test_a_named_wrong_answer_is_told(page):
    data, title = current(page)
    question = next(one for one in data["questions"] if one["texts"]["en"]["title"] == title)
    page.fill("#answer-0", str(question["variants"][0]["wrong"][0]))
    page.keyboard.press("Enter")
    assert "Not right." in page.locator("#feedback h3").inner_text()
    assert len(page.locator("#feedback p").first.inner_text()) > len("The number is not right.") + 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_reads_answers_as_the_grader_does(page, language):
    for typed in TYPED:
        for kind, seen in page.evaluate(READ, [typed, language]).items():
            wanted = read(kind, typed, language)
            assert seen == pytest.approx(list(wanted) if isinstance(wanted, tuple) else wanted), (kind, typed)


def read(kind, typed, language):
    """What the grader reads; None for what it cannot read."""
    try:
        if kind == "shape":
            return parsing.sizes(typed)
        return {"integer": parsing.integer, "number": parsing.number}[kind](typed, language)
    except parsing.Malformed:
        return None


def test_offline_the_page_still_works_and_keeps_progress(page, context):
    page.fill("#answer-0", "3")
    page.keyboard.press("Enter")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    before = progress(page)
    context.set_offline(True)
    page.reload()
    page.wait_for_selector(READY)
    assert progress(page) == before
    assert page.locator("#squares li:not([data-box=new])").count() == 1
    assert page.evaluate("document.fonts.check('1em KaTeX_Main')")


def test_no_request_leaves_the_host(context, address):
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_selector(READY)
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    page.get_by_label("Topic").select_option("bugs")
    assert asked
    assert {urlparse(url).netloc for url in asked} == {urlparse(address).netloc}


def test_from_a_file_it_works_too(context, site):
    page = context.new_page()
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.wait_for_selector(READY)
    page.fill("#answer-0", "3")
    page.keyboard.press("Enter")
    page.reload()
    page.wait_for_selector(READY)
    assert progress(page)["q01"]["seen"] == 1
    assert failed == []


@pytest.mark.parametrize(("theme", "width"), [("light", 360), ("dark", 1100)])
def test_axe_finds_no_violation_and_nothing_sticks_out(context, address, theme, width):
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    page.wait_for_selector(READY)
    for topic in page.locator("#topic option").evaluate_all("options => options.map(option => option.value)")[1:]:
        page.get_by_label("Topic").select_option(topic)
        page.get_by_role("button", name="Hint").click()
        assert Axe().run(page).response["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), topic
        answer_anything(page)
        assert Axe().run(page).response["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), topic


def answer_anything(page):
    for box in page.locator("#question input[type=text]").all():
        described = page.locator(f"#{box.get_attribute('aria-describedby')}").inner_text()
        box.fill("(2, 3, 5, 7)" if "shape" in described else "3")
    for group in page.locator("#question fieldset").all():
        group.locator("input").first.check()
    page.get_by_role("button", name="Check").click()


def test_formulas_are_drawn_before_they_are_seen(context, address):
    page = context.new_page()
    page.add_init_script(
        "window.shifts = 0;"
        "new PerformanceObserver(list => list.getEntries().forEach(entry => window.shifts += entry.value))"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    page.goto(address)
    page.wait_for_selector(READY)
    page.wait_for_timeout(500)
    assert page.evaluate("window.shifts") == 0
    assert page.locator("#question .tex").count() == page.locator("#question .tex .katex").count() > 0
    assert page.locator(".katex-error").count() == 0


def test_every_formula_of_every_variant_can_be_drawn(page):
    errors = page.evaluate(
        r"""() => {
        const content = JSON.parse(document.getElementById('content').textContent);
        const errors = [], holder = document.createElement('div');
        const look = (id, html, variant) => {
            const fill = (all, name) => name === undefined ? all[0] : variant.places[name] ?? `MISSING ${name}`;
            holder.innerHTML = html.replace(/\{\{|\}\}|\{([A-Za-z]\w*)\}/g, fill);
            if (holder.textContent.includes('MISSING')) errors.push([id, holder.textContent]);
            for (const tex of holder.querySelectorAll('.tex')) {
                try { katex.renderToString(tex.textContent); } catch (error) { errors.push([id, error.message]); }
            }
        };
        const strings = (value) => typeof value === 'string' ? [value] : Object.values(value).flatMap(strings);
        for (const question of content.questions) for (const variant of question.variants)
            for (const html of strings(question.texts)) look(question.id, html, variant);
        return errors;
    }"""
    )
    assert errors == []


def test_progress_goes_to_a_file_and_comes_back(page, tmp_path):
    page.fill("#answer-0", "3")
    page.keyboard.press("Enter")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save my progress").click()
    file = tmp_path / "progress.json"
    saved.value.save_as(file)
    before = progress(page)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete my progress").click()
    assert progress(page) == {}
    page.set_input_files("#load", file)
    page.wait_for_function("document.getElementById('notice').textContent !== ''")
    assert progress(page) == before


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"format": 1, "questions": {"q01": {"box": 99}}}', '{"format": 2, "questions": {}}']
)
def test_a_file_that_holds_no_progress_changes_nothing(page, tmp_path, content):
    page.fill("#answer-0", "3")
    page.keyboard.press("Enter")
    before = progress(page)
    file = tmp_path / "odd.json"
    file.write_text(content)
    page.set_input_files("#load", file)
    page.wait_for_function("document.getElementById('notice').textContent !== ''")
    assert "nothing was changed" in page.locator("#notice").inner_text()
    assert progress(page) == before


def test_broken_saved_progress_is_kept_aside_and_told(page):
    page.evaluate("localStorage.setItem('headcheck:practice', '{broken')")
    page.reload()
    page.wait_for_selector(READY)
    assert "kept aside" in page.locator("#notice").inner_text()
    assert "{broken" in page.evaluate(
        "Object.entries(localStorage).filter(([key]) => key.includes('broken')).map(([, v]) => v)"
    )


def test_two_open_pages_keep_each_others_answers(page, context, address):
    other = context.new_page()
    other.goto(address)
    other.wait_for_selector(READY)
    other.get_by_role("button", name="Skip").click()
    answer_anything(other)
    answer_anything(page)
    assert len(progress(page)) == 2


def test_hostile_numbers_and_texts_are_shown_and_not_obeyed(tmp_path, browser):
    from headcheck.quiz.site.build import as_script

    text = "</script><script>window.hit = 1</script><!--"
    assert "<" not in as_script({"text": text})
    page = browser.new_page()
    page.set_content(f'<script id="content" type="application/json">{as_script({"text": text})}</script>')
    assert json.loads(page.locator("#content").text_content()) == {"text": text}
    assert page.evaluate("window.hit") is None
    page.close()


def test_in_a_notebook_the_page_needs_nothing_from_anywhere(browser):
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content('<iframe id="frame" style="width: 100%; height: 700px"></iframe>')
    page.evaluate("html => document.getElementById('frame').srcdoc = html", inline_page(Site(open_bank(), ["en"])))
    frame = page.frame_locator("#frame")
    frame.locator(READY).wait_for()
    assert frame.locator("#question math").count() > 0
    frame.locator("#answer-0").fill("3")
    frame.get_by_role("button", name="Check").click()
    assert frame.locator("#feedback h3").inner_text() in ("Right.", "Not right.")
    assert [url for url in asked if not url.startswith("about:")] == []
    page.close()


def test_practice_shows_questions_in_jupyterlab(browser, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    cell = nbformat.v4.new_code_cell('from headcheck import practice\npractice("masks", language="en")')
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), work / "mine.ipynb")
    with running_lab(work, tmp_path) as lab, browser.new_context(viewport={"width": 1280, "height": 1000}) as context:
        notebook = Notebook(context.new_page(), lab, "mine.ipynb")
        notebook.run_all()
        frame = notebook.page.frame_locator(".jp-OutputArea-output iframe")
        frame.locator(READY).wait_for()
        assert frame.locator("#question .topic").inner_text() == "masks"
        answer_anything(frame)
        assert frame.locator("#feedback h3").inner_text() in ("Right.", "Partly right.", "Not right.")
