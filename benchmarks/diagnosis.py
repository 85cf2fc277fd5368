"""What diagnosis costs: nothing for a right answer, and how long for one mistake, for two, and for unknown ones.

Run it with `python benchmarks/diagnosis.py`. Times are processor time on one core.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import time
from collections.abc import Sequence

import torch
from headcheck.course.config import find_course
from headcheck.diagnosis.explain import Call, Explainer
from headcheck.diagnosis.match import load_bank
from headcheck.diagnosis.stages import Element, elements_of, merged
from headcheck.diagnosis.values import quick_same
from headcheck.grading.draw import Draw
from headcheck.jail.errors import StudentError

TASK = "multi_head_attention"

SIZES = (
    (2, 7, 7, 4, 5, True, False),
    (3, 6, 6, 4, 7, False, False),
    (3, 6, 9, 4, 7, False, False),
    (2, 6, 3, 3, 3, False, False),
    (2, 7, 7, 3, 5, False, True),
    (2, 7, 10, 3, 5, False, True),
    (4, 4, 7, 4, 5, False, True),
    (1, 5, 5, 3, 7, False, False),
    (2, 5, 5, 1, 7, False, False),
    (2, 1, 5, 3, 7, False, False),
)
"""B, n_q, n_k, h, d_k, self-attention, padded: the calls of the hidden tests."""


def inputs(seed: int) -> list[tuple]:
    from solutions.inputs import layer_state

    draw, calls = Draw(seed), []
    for B, n_q, n_k, h, d_k, alone, padded in SIZES:
        q, k, v = (draw.tensor(B, n, h * d_k) for n in (n_q, n_k, n_k))
        k, v = (q, q) if alone else (k, v)
        calls.append((q, k, v, draw.padding(B, n_k) if padded else None, layer_state(draw, h * d_k), h))
    return calls


def seconds(
    explainer: Explainer, pipeline, elements: Sequence[Element], seed: int
) -> tuple[float, set[frozenset[str]]]:
    calls = []
    for args in inputs(seed):
        try:
            got = pipeline.run(merged(tuple(elements)), *args)
        except Exception as error:
            got = StudentError(type(error).__name__, str(error))
        calls.append(Call(args, got))
    start = time.process_time()
    ways = explainer.explain(calls)
    return time.process_time() - start, {frozenset(element.mistake.id for element in way) for way in ways}


def report(name: str, times: Sequence[float], named: int) -> None:
    ordered = sorted(times)
    print(
        f"{name:<18} {len(times):5d} tried, {named / len(times):6.1%} named, "
        f"median {statistics.median(ordered) * 1e3:6.0f} ms, "
        f"95 % under {ordered[int(0.95 * (len(ordered) - 1))] * 1e3:6.0f} ms, worst {ordered[-1] * 1e3:6.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    bank = load_bank(find_course())
    pipeline = bank.pipelines[TASK]
    elements = elements_of(TASK, pipeline, bank)
    explainer, rng = Explainer(pipeline, elements, quick_same), random.Random(chosen.seed)
    usual = list({element.mistake.id: element for element in reversed(elements)}.values())
    print(f"{len(usual)} mistakes in {len(elements)} forms, {len(SIZES)} calls each")
    groups = {
        "no mistake": [()],
        "one mistake": [(element,) for element in usual],
        "two mistakes": rng.sample(
            [pair for pair in itertools.combinations(usual, 2) if pair[0].choice.keys().isdisjoint(pair[1].choice)],
            chosen.pairs,
        ),
    }
    for name, cases in groups.items():
        results = [(case, *seconds(explainer, pipeline, case, rng.randrange(1 << 30))) for case in cases]
        named = sum((frozenset(e.mistake.id for e in case) in ways) if case else not ways for case, _t, ways in results)
        report(name, [spent for _case, spent, _ways in results], named)


if __name__ == "__main__":
    main()
