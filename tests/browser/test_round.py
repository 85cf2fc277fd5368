"""The whole round in a browser: a student works, the class is graded, the instructor reads, grades and gives back."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lab import Notebook, hide_packages, running_lab
from nbgrader.api import Gradebook
from PIL import Image

ROOT = Path(__file__).parents[2]
CLASSMATES = ("farid", "thandiwe")
SCREENS = os.environ.get("HEADCHECK_SCREENS")
"""A folder for screenshots; `docs/screens` is made so."""

MENDED = '''wrong_view_symptom = "silent"


def wrong_view(x, h):
    """Split (B, n, d_model) into heads: (B, h, n, d_k)."""
    return torch.stack(x.chunk(h, dim=-1), dim=1)  # (B, h, n, d_k)
'''


def screenshot(page, name):
    """Keep what the page shows, small and in few colours, when somebody asked for it."""
    if SCREENS:
        shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize((960, 600), Image.Resampling.LANCZOS)
        shown.quantize(48, dither=Image.Dither.NONE).save(f"{SCREENS}/{name}.png", optimize=True)


@pytest.fixture(scope="module")
def around(tmp_path_factory):
    return tmp_path_factory.mktemp("round")


@pytest.fixture(scope="module")
def worked(browser, around):
    """What the check of the student's task printed; the notebook lies in the class folder afterwards."""
    desk, class_folder = around / "student", around / "class"
    shutil.copytree(ROOT / "release/bug_hunt", desk / "work")
    with (
        running_lab(desk / "work", desk, path_first=hide_packages(desk / "absent")) as lab,
        browser.new_context(viewport={"width": 1280, "height": 800}) as context,
    ):
        page = context.new_page()
        notebook = Notebook(page, lab, "bug_hunt.ipynb")
        cells = json.loads((desk / "work/bug_hunt.ipynb").read_text())["cells"]
        ids = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
        notebook.write(ids.index("wrong_view"), MENDED)
        notebook.run_all()
        notebook.save()
        check = ids.index("wrong_view_tests")
        page.locator(".jp-Notebook .jp-Cell").nth(check).locator(".jp-OutputArea-output").scroll_into_view_if_needed()
        screenshot(page, "student")
        printed = notebook.cells()[check].printed
    for name in CLASSMATES:
        shutil.copytree(ROOT / "examples/class/submitted" / name, class_folder / "submitted" / name)
    shutil.copytree(desk / "work", class_folder / "submitted/mina/bug_hunt")
    shutil.copy(ROOT / "nbgrader_config.py", class_folder)
    return printed


@pytest.fixture(scope="module")
def formgrader(worked, browser, around):
    """The graded class in nbgrader's formgrader."""
    headcheck = str(Path(sys.executable).parent / "headcheck")
    grade = [headcheck, "grade", "quiz", "bug_hunt", "--course", str(around / "class")]
    done = subprocess.run(grade, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    (around / "desk").mkdir()
    with (
        running_lab(around / "class", around / "desk") as lab,
        browser.new_context(viewport={"width": 1280, "height": 800}, base_url=lab) as context,
    ):
        yield context


def open_submission(page, assignment, student, around):
    """Open what a student handed in, by the address that the formgrader's own links have."""
    with Gradebook(f"sqlite:///{around / 'class/gradebook.db'}") as gradebook:
        (notebook,) = gradebook.find_submission(assignment, student).notebooks
        address = f"/formgrader/submissions/{notebook.id}/"
    page.goto(address)
    page.wait_for_selector(".nbgrader_cell, .score")


def test_the_student_sees_the_check_pass_and_the_saved_file_holds_the_answer(worked, around):
    assert "wrong_view: the tiny example is right" in worked
    assert "torch.stack(x.chunk" in (around / "class/submitted/mina/bug_hunt/bug_hunt.ipynb").read_text()


def test_the_formgrader_lists_scores(formgrader):
    page = formgrader.new_page()
    page.goto("/formgrader/gradebook/bug_hunt/bug_hunt")
    page.wait_for_selector("tbody tr td a")
    assert page.locator("tbody tr").count() == len(CLASSMATES) + 1
    page.goto("/formgrader/manage_submissions/bug_hunt")
    page.wait_for_selector("tbody tr td a")
    rows = page.locator("tbody tr").all_inner_texts()
    assert [("farid" in row, "19" in row) for row in rows if "farid" in row] == [(True, True)]


def test_a_submission_shows_points_and_the_name_of_the_mistake(formgrader, around):
    page = formgrader.new_page()
    open_submission(page, "bug_hunt", "farid", around)
    text = page.locator("body").inner_text()
    assert "headcheck: 1 of 4 points" in text
    assert "The mistake: another pair of axes was swapped than heads and tokens." in text
    page.get_by_text("headcheck: 1 of 4 points").first.scroll_into_view_if_needed()
    screenshot(page, "formgrader-submission")


def test_points_given_by_hand_arrive_and_stand_in_the_feedback(formgrader, around):
    page = formgrader.new_page()
    open_submission(page, "quiz", "farid", around)
    score = page.locator("input.score#q11_why")
    score.scroll_into_view_if_needed()
    with page.expect_response(lambda response: "/formgrader/api/grade/" in response.url) as saved:
        score.fill("1.5")
        score.press("Tab")
    assert saved.value.ok
    screenshot(page, "formgrader-by-hand")
    with Gradebook(f"sqlite:///{around / 'class/gradebook.db'}") as gradebook:
        assert gradebook.find_grade("q11_why", "quiz", "quiz", "farid").manual_score == 1.5
        total = gradebook.find_submission("quiz", "farid").score

    page.goto("/formgrader/manage_assignments")
    with page.expect_response(lambda response: "generate_feedback" in response.url, timeout=120_000) as made:
        page.locator("tbody tr", has_text="quiz").locator(".generate-feedback a").click()
    assert made.value.json()["success"] is True
    page.goto("/files/feedback/farid/quiz/quiz.html")
    text = page.locator("body").inner_text()
    assert f"{total:g} / 26" in text
    screenshot(page, "feedback")
