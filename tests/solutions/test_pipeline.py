"""The stages of attention: right steps give the reference, wrong ones are told apart, alone and in pairs."""

import functools
import importlib.util
import itertools
import random
from pathlib import Path

import pytest
import torch
from headcheck.diagnosis.explain import Call, Explainer
from headcheck.diagnosis.search import Search
from headcheck.diagnosis.stages import elements_of
from headcheck.diagnosis.values import quick_same
from headcheck.grading.draw import Draw
from headcheck.jail.errors import StudentError

from solutions import from_scratch, pipeline
from solutions.inputs import layer_state
from solutions.mistakes import BANK, INSEPARABLE, PIPELINES

TASK = "multi_head_attention"
CORPUS = Path(__file__).parents[1] / "corpus" / TASK
ELEMENTS = elements_of(TASK, PIPELINES[TASK], BANK)
FIRST = {element.mistake.id: element for element in reversed(ELEMENTS)}
SHOWN_OTHERWISE = {mistake.id for mistake in BANK.values() if mistake.probe} | {"divisibility-check-inverted"}
TOGETHER = [frozenset(ids) for ids, _reason in INSEPARABLE]


def inputs(seed):
    """Calls like those of the hidden tests: (B, n_q, n_k, h, d_k, self-attention, padded)."""
    draw = Draw(seed)
    for B, n_q, n_k, h, d_k, alone, padded in (
        (2, 5, 5, 4, 7, True, False),
        (3, 6, 6, 2, 5, False, False),
        (2, 5, 8, 4, 7, False, False),
        (2, 6, 3, 3, 3, False, False),
        (3, 7, 7, 4, 5, False, True),
        (2, 6, 8, 3, 7, False, True),
        (4, 4, 6, 4, 5, False, True),
        (1, 5, 5, 2, 7, False, False),
        (2, 1, 5, 3, 7, False, True),
        (2, 5, 5, 1, 7, False, True),
    ):
        q = draw.tensor(B, n_q, h * d_k)
        k, v = (q, q) if alone else (draw.tensor(B, n_k, h * d_k), draw.tensor(B, n_k, h * d_k))
        yield q, k, v, draw.padding(B, n_k) if padded else None, layer_state(draw, h * d_k), h


@functools.cache
def explainer():
    return Explainer(PIPELINES[TASK], ELEMENTS, quick_same)


def observed(compute, seed=0):
    calls = []
    for args in inputs(seed):
        try:
            with torch.no_grad():
                got = compute(*args)
        except Exception as error:
            got = StudentError(type(error).__name__, str(error))
        calls.append(Call(args, got))
    return calls


def named(calls):
    return [frozenset(element.mistake.id for element in way) for way in explainer().explain(calls)]


def written(path):
    """The function that a file of the corpus computes."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def compute(q, k, v, pad, state, h):
        layer = module.MultiHeadAttention(q.shape[-1], h)
        layer.load_state_dict(state, strict=False)
        return layer.eval()(q.clone(), k.clone(), v.clone(), pad if pad is None else pad.clone())

    return compute


def with_choices(*elements):
    choice = {stage: step for element in elements for stage, step in element.choice.items()}
    return lambda *args: pipeline.run(choice, *args)


@pytest.mark.parametrize("seed", range(3))
def test_the_right_steps_give_the_reference(seed):
    for args in inputs(seed):
        assert quick_same(pipeline.run({}, *args), from_scratch.multi_head_attention(*args))


def test_the_right_result_is_explained_by_no_mistake():
    assert named(observed(from_scratch.multi_head_attention)) == []


@pytest.mark.parametrize("number", range(len(ELEMENTS)))
def test_a_single_mistake_is_named_whatever_its_form(number):
    element = ELEMENTS[number]
    names = named(observed(with_choices(element), seed=number))
    assert frozenset([element.mistake.id]) in names
    assert len(names) == 1 or frozenset().union(*names) in TOGETHER


def calls_alike(calls, element):
    search = Search(PIPELINES[TASK], [element], quick_same)
    return all(
        isinstance(search.outcome(call.args, (element,)), Exception)
        if call.crashed
        else search.matches(call.args, call.got, (element,))
        for call in calls
    )


def test_pairs_from_different_stages_are_named():
    rng = random.Random(1)
    everything = itertools.combinations(FIRST.values(), 2)
    pairs = [(a, b) for a, b in everything if a.choice.keys().isdisjoint(b.choice)]
    counts = {"named": 0, "unknown": 0, "wrong": []}
    for a, b in rng.sample(pairs, 40):
        calls = observed(with_choices(a, b), seed=rng.randrange(1000))
        if all(call.crashed for call in calls) or calls_alike(calls, a) or calls_alike(calls, b):
            continue  # one of the two leaves nothing to be seen of the other
        names, wanted = named(calls), frozenset([a.mistake.id, b.mistake.id])
        if wanted in names:
            counts["named"] += 1
        elif not names:
            counts["unknown"] += 1
        else:
            counts["wrong"].append((set(wanted), names))
    assert counts["named"] >= 0.95 * (counts["named"] + counts["unknown"] + len(counts["wrong"])), counts


@pytest.mark.parametrize("path", sorted((CORPUS / "wrong").glob("*.py")), ids=lambda path: path.stem)
def test_code_with_a_mistake_is_named(path):
    wanted = path.stem.replace("_", "-")
    if wanted in SHOWN_OTHERWISE:
        pytest.skip("needs a probe of its own")
    names = named(observed(written(path)))
    assert frozenset([wanted]) in names
    assert len(names) == 1 or frozenset().union(*names) in TOGETHER


@pytest.mark.parametrize("path", sorted((CORPUS / "correct").glob("*.py")), ids=lambda path: path.stem)
def test_correct_code_agrees_with_the_reference(path):
    if path.stem == "einops":
        pytest.importorskip("einops")
    for seed in range(5):
        for call in observed(written(path), seed):
            assert not call.crashed, call.got
            assert quick_same(from_scratch.multi_head_attention(*call.args), call.got)


UNLISTED = {
    "scores pass a tanh": {"scale": lambda c: pipeline.scaled({"scores": torch.tanh(c["scores"] / 3)}, 1.0)},
    "the output is halved": {"output": lambda c: {"out": pipeline.linear(c, c["merged"], "W_o") / 2}},
    "one key is never seen": {"mask": lambda c: {"scores": c["scores"].index_fill(-1, torch.tensor([2]), -1e9)}},
    "noise on the values": {"context": lambda c: {"context": c["weights"] @ c["V"] + 1e-3}},
}


@pytest.mark.parametrize("name", UNLISTED)
def test_a_mistake_in_no_list_gets_no_name(name):
    assert named(observed(lambda *args: pipeline.run(UNLISTED[name], *args))) == []


def test_three_mistakes_at_once_get_no_name():
    wrong = [FIRST[name] for name in ("scale-missing", "merge-no-transpose", "pad-mask-inverted")]
    assert named(observed(with_choices(*wrong))) == []


def test_a_step_leaves_the_tensors_of_the_context_alone():
    for element in ELEMENTS:
        args = next(itertools.islice(inputs(7), 4, 5))
        before = [part.clone() for part in args[:4]]
        Search(PIPELINES[TASK], ELEMENTS, quick_same).outcome(args, (element,))
        assert all(torch.equal(a, b) for a, b in zip(before, args[:4], strict=True)), element.mistake.id
