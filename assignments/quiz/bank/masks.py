"""Questions about masks: what True means, and to whom."""

import random
from typing import Any

from headcheck.quiz.kinds import Choice
from headcheck.quiz.question import Question, wrong_options

from assignments.quiz.bank.draws import input_sizes, texts


def batch_sizes(rng: random.Random) -> dict[str, Any]:
    """Draw the sizes of a padded batch."""
    sizes = input_sizes(rng)
    return {"B": sizes["B"], "n": sizes["n"]}


q09 = Question(
    id="q09",
    topic="masks",
    kind=Choice(("pad-mask-inverted", "mask-added-as-zero-one", "mask-on-query-rows", "ignored-as-key")),
    lesson={"B": 4, "n": 10},
    generate=batch_sizes,
    answer=lambda p: "ignored-as-key",
    wrong=wrong_options("pad-mask-inverted", "mask-added-as-zero-one", "mask-on-query-rows"),
    texts=texts("q09"),
)
