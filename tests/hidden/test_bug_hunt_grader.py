"""The hidden tests of the bug hunt: right answers pass, every known mistake is rejected and has a name."""

import re

import einops
import pytest
import torch
from bug_hunt_students import (
    RIGHT_SYMPTOMS,
    TASKS,
    InProcessStudent,
    diagnosed,
    failures,
    handed_out,
    hidden_module,
    hidden_tests,
    mismatches,
    model_student,
    release_source,
    score,
    solver,
    text_cells,
)
from bug_hunt_variants import VARIANTS
from headcheck.diagnosis.match import same_value
from headcheck.grading.checks import WrongAnswer
from headcheck.grading.draw import Draw
from headcheck.jail.errors import NotDefined, StudentError

from solutions import bug_hunt
from solutions.mistakes import BANK

SEEDS = (1, 2, 3)

SEEDED = {
    "wrong_view": "split-view-no-transpose",
    "missing_transpose": "merge-no-transpose",
    "batch_first": "torch-mha-without-batch-first",
    "inverted_mask": "pad-mask-inverted",
    "averaged_weights": "weights-averaged-over-heads",
    "d_model_scaling": "scale-sqrt-d-model",
    "indivisible_heads": "no-divisibility-check",
}

TIES = {
    # Fully hidden sentences come out as zeros from F.scaled_dot_product_attention, also when torch's module calls it.
    frozenset({"pad-mask-inverted", "sdpa-mask-polarity"}),
    # A score of 1e-9 and a score of 0 differ by less than float32 can show.
    frozenset({"mask-fill-1e-9", "mask-multiplied-into-scores"}),
}

FORMS = [
    pytest.param(task, mistake.id, form, id=f"{task}-{mistake.id}-{number}")
    for task in TASKS
    for mistake in BANK.values()
    for number, form in enumerate(mistake.forms(task))
]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_one_point_for_the_symptom_and_three_for_the_repair(task):
    points = {test.name: test.points for test in hidden_tests(task)}
    assert points.pop(f"test_{task}_symptom") == 1
    assert sum(points.values()) == 3


@pytest.mark.parametrize("task", TASKS)
def test_the_points_are_those_of_the_test_cell(task):
    (cell,) = [cell for cell in text_cells() if (cell.kind, cell.name) == ("tests", task)]
    assert cell.points == sum(test.points for test in hidden_tests(task))


def test_every_hidden_test_states_its_claim():
    assert all(test.run.__doc__ for test in hidden_tests())
    assert len({test.name for test in hidden_tests()}) == len(hidden_tests())


@pytest.mark.parametrize("seed", range(20))
def test_the_reference_passes_everything(seed):
    assert {task: failures(task, model_student(), seed) for task in TASKS} == {task: {} for task in TASKS}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_other_styles_pass(task, seed):
    for number, variant in enumerate(VARIANTS[task]):
        assert failures(task, solver(task, variant), seed) == {}, f"variant {number}"


@pytest.mark.parametrize(("task", "mistake_id", "form"), FORMS)
def test_a_mistake_loses_points_and_is_named(task, mistake_id, form):
    for seed in SEEDS:
        student = solver(task, form)
        assert score(task, student, seed) < 4
        names = diagnosed(task, student, seed)
        assert mistake_id in names
        assert names == {mistake_id} or names in TIES


@pytest.mark.parametrize("task", TASKS)
def test_the_bug_as_handed_out_scores_nothing_and_is_named(task):
    stub = InProcessStudent(handed_out(task))
    for seed in SEEDS:
        assert score(task, stub, seed) == 0
        assert diagnosed(task, stub, seed) == {SEEDED[task]}


@pytest.mark.parametrize("task", TASKS)
def test_the_bug_as_handed_out_is_the_usual_form_of_its_mistake(task):
    stub, usual = InProcessStudent(handed_out(task)), solver(task, BANK[SEEDED[task]].wrong[task])
    for seen, expected in zip(mismatches(task, stub, 1), mismatches(task, usual, 1), strict=True):
        crashed = isinstance(seen.got, StudentError)
        assert str(seen.got) == str(expected.got) if crashed else same_value(seen.got, expected.got)


@pytest.mark.parametrize("task", TASKS)
def test_the_bug_as_handed_out_shows_the_symptom_that_counts(task):
    for mismatch in mismatches(task, InProcessStudent(handed_out(task)), seed=1):
        if mismatch.expected is None or not isinstance(mismatch.got, torch.Tensor):
            symptom = "crash"
        else:
            symptom = "silent" if mismatch.got.shape == mismatch.expected.shape else "wrong shape"
        assert symptom == RIGHT_SYMPTOMS[task]


@pytest.mark.parametrize("answer", ["Wrong Shape", "wrong-shape", " wrong_shape. ", "WRONGSHAPE"])
def test_a_symptom_may_be_spelt_freely(answer):
    hidden_module().check_symptom(InProcessStudent({"x_symptom": answer}), "x", "wrong shape")


@pytest.mark.parametrize(
    ("answer", "message", "state"),
    [
        (None, "still None", "not_attempted"),
        ("", "should be", None),
        ("shape", "should be", None),
        (3, "should be", None),
        (["silent"], "should be", None),
        ("crash", "not what the given code does", None),
    ],
)
def test_a_symptom_that_is_missing_malformed_or_wrong_is_told_apart(answer, message, state):
    with pytest.raises(WrongAnswer, match=message) as caught:
        hidden_module().check_symptom(InProcessStudent({"x_symptom": answer}), "x", "silent")
    assert caught.value.state == state
    assert "silent" not in str(caught.value) or "crash" in str(caught.value)


@pytest.mark.parametrize("task", TASKS)
def test_an_empty_notebook_earns_nothing(task):
    failed = failures(task, InProcessStudent({}), seed=1)
    assert len(failed) == len(hidden_tests(task))
    assert all(isinstance(e, NotDefined) or e.state == "not_attempted" for e in failed.values())


def test_a_merge_that_counts_keys_keeps_the_points_of_self_attention():
    form = BANK["lengths-taken-from-keys"].wrong["missing_transpose"]
    assert score("missing_transpose", solver("missing_transpose", form)) == 3


def test_head_zero_whatever_was_asked_for_earns_only_the_symptom():
    assert (
        score("averaged_weights", solver("averaged_weights", BANK["head-index-ignored"].wrong["averaged_weights"])) == 1
    )


def test_a_refusal_without_the_numbers_loses_one_point():
    def terse(x, h):
        if x.shape[-1] % h:
            raise ValueError("does not fit")
        return bug_hunt.wrong_view(x, h)

    assert score("indivisible_heads", solver("indivisible_heads", terse)) == 3


def test_refusing_everything_does_not_earn_the_refusal():
    def refuse(x, h):
        raise ValueError(f"{x.shape[-1]} {h}")

    assert score("indivisible_heads", solver("indivisible_heads", refuse)) == 2


@pytest.mark.parametrize(
    "split",
    [
        lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2),
        lambda x, h: x.unflatten(-1, (h, x.shape[-1] // h)).transpose(1, 2),
        lambda x, h: einops.rearrange(x, "b n (h d) -> b h n d", h=h),
    ],
)
@pytest.mark.parametrize("inverted", [False, True])
def test_a_split_that_only_the_library_refuses_is_named_in_any_words(split, inverted):
    def indivisible_heads(x, h):
        if inverted and x.shape[-1] % h == 0:
            raise ValueError(f"{x.shape[-1]} {h}")
        return split(x, h)

    expected = "divisibility-check-inverted" if inverted else "no-divisibility-check"
    for seed in SEEDS:
        assert diagnosed("indivisible_heads", solver("indivisible_heads", indivisible_heads), seed) == {expected}


def test_rows_of_padding_are_free_and_rows_of_tokens_are_not():
    def nan_at(where):
        def inverted_mask(x, token, state, h):
            out = bug_hunt.inverted_mask(x, token, state, h)
            out[where(token)] = torch.nan
            return out

        return solver("inverted_mask", inverted_mask)

    assert score("inverted_mask", nan_at(lambda token: ~token)) == 4
    assert score("inverted_mask", nan_at(lambda token: token)) == 1


def test_sizes_differ_and_nothing_is_square():
    module = hidden_module()
    for seed in range(50):
        B, n, h, d_k = module.draw_sizes(Draw(seed))
        assert len({B, n, h, d_k}) == 4
        assert round(d_k**0.5) ** 2 != d_k
        assert n > h > 1


# The notebook


def run_cells(release):
    """Run the notebook; yields (cell, what it raised or None)."""
    namespace = {}
    for cell in text_cells():
        if cell.cell_type != "code":
            continue
        try:
            exec(release_source(cell) if release else cell.source, namespace)
        except Exception as error:
            yield cell, error
        else:
            yield cell, None


def test_the_visible_checks_pass_on_the_model_answers(capsys):
    assert [(cell.name, error) for cell, error in run_cells(release=False) if error is not None] == []
    printed = capsys.readouterr().out
    assert all(f"{task}: the tiny example is right" in printed for task in TASKS)
    assert "None" not in printed


@pytest.mark.parametrize("task", TASKS)
def test_the_visible_check_of_a_task_passes_on_other_styles(task):
    (check,) = [cell for cell in text_cells() if (cell.kind, cell.name) == ("tests", task)]
    for variant in VARIANTS[task]:
        namespace = {**handed_out(task), task: variant, f"{task}_symptom": "silent"}
        exec(check.source, namespace)


def test_the_visible_checks_show_every_bug(capsys):
    errors = {cell.name: error for cell, error in run_cells(release=True) if cell.kind == "tests"}
    printed = capsys.readouterr().out
    assert set(errors) == set(TASKS)
    for task, error in errors.items():
        assert f"{task}_symptom is still None" in printed
        if RIGHT_SYMPTOMS[task] == "crash":
            assert isinstance(error, RuntimeError)
        else:
            assert isinstance(error, AssertionError)
            assert str(error).startswith(f"{task}: ")


def test_the_released_notebook_needs_nothing_beyond_torch_matplotlib_and_python_itself():
    text = "\n".join(release_source(cell) for cell in text_cells() if cell.cell_type == "code")
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", text, flags=re.MULTILINE))
    assert imported <= {"math", "os", "torch", "matplotlib", "numpy"}


def test_the_prose_does_not_give_the_answers_away():
    prose = "\n".join(cell.source for cell in text_cells() if cell.cell_type == "markdown")
    stubs = "\n".join(release_source(cell) for cell in text_cells() if cell.kind == "solution")
    assert "average_attn_weights" not in prose + stubs
    assert "batch_first=True" not in prose
    assert "~token" not in prose + stubs
    assert not re.search(r'_symptom = "', stubs)
