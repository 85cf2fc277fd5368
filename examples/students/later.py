"""What a few students handed in for the other five assignments: all right, one mistake, nothing."""

from __future__ import annotations

from collections.abc import Mapping

from students.entry import Lost, Work, lost
from students.notebook import model_answers

MISTAKES: Mapping[str, tuple[str, str, Lost]] = {
    "from_scratch": (
        "count_parameters",
        """
def count_parameters(d_model, h):
    return 4 * d_model**2
""",
        lost(0, "incorrect", "parameters-without-biases"),
    ),
    "two_relations": (
        "head_patterns",
        """
def head_patterns(X, W_q, W_k, h):
    n, d_model = X.shape
    Q = (X @ W_q).view(n, h, -1).transpose(0, 1)
    K = (X @ W_k).view(n, h, -1).transpose(0, 1)
    return torch.softmax(Q @ K.mT / d_model**0.5, dim=-1)
""",
        lost(0, "incorrect", "scale-sqrt-d-model"),
    ),
    "torch_module": (
        "head_weights",
        """
def head_weights(mha, x):
    return mha(x, x, x, need_weights=True)[1]
""",
        lost(0, "incorrect", "weights-averaged-over-heads"),
    ),
    "head_roles": (
        "attention_profile",
        """
def attention_profile(weights):
    i = torch.arange(1, weights.shape[-1])
    to_previous, to_first = weights[:, :, i, i - 1], weights[:, :, i, 0]
    return torch.stack([to_previous.mean((0, 2)), to_first.mean((0, 2))], 1)
""",
        lost(0, "incorrect", "profile-includes-position-one"),
    ),
    "head_count": (
        "success_share",
        """
def success_share(results):
    n = len(results)
    solved = sum(result > 0.95 for result in results)
    share = solved / n
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    return solved, share, share - half, share + half
""",
        lost(0, "incorrect", "wald-interval"),
    ),
}
"""Assignment -> a task, what the student wrote there, and what it gets."""

TASKS = {
    "from_scratch": (
        "split_heads",
        "merge_heads",
        "attention",
        "multi_head_attention",
        "count_parameters",
        "attention_cost",
        "one_head_by_hand",
    ),
    "two_relations": ("block_diagonal", "head_patterns", "heads_apart"),
    "torch_module": ("copy_weights", "head_weights", "padding_mask", "sdpa", "cross_attention", "batch_invariance"),
    "head_roles": ("make_batch", "two_target_model", "train", "attention_profile", "ablate_head", "name_roles"),
    "head_count": ("run_seed", "paired_difference", "success_share", "redundancy", "conclusion"),
}

RIGHT = {name: Work("Everything is right.", edits=(model_answers(name),), ran=False) for name in TASKS}

UNTOUCHED = {
    name: Work("Nothing was done.", lost={task: lost(0, "not_attempted") for task in tasks}, ran=False)
    for name, tasks in TASKS.items()
}

ONE_MISTAKE = {
    name: Work(
        f"All is right but {task}.",
        f"# %% {task}{answer}",
        edits=(model_answers(name, but=task),),
        lost={task: result},
        ran=False,
    )
    for name, (task, answer, result) in MISTAKES.items()
}
