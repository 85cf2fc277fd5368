"""Questions about nn.MultiheadAttention and F.scaled_dot_product_attention: what they take, return and leave out."""

from headcheck.quiz.kinds import Choice, Choices, Integer, Parts, Shape
from headcheck.quiz.question import Question, Section, Wrong, wrong_options

from assignments.quiz.bank.draws import cross_sizes, d_k, input_sizes, model_sizes, texts

LESSON = {"B": 4, "n": 10, "h": 8, "d_model": 64}

q06 = Question(
    id="q06",
    topic="module",
    kind=Parts(
        {
            "shape": Shape(("B", "n_q", "n_k")),
            "meaning": Choice(
                (
                    "weights-of-first-head",
                    "heads-summed",
                    "mean-over-heads",
                    "softmax-of-averaged-scores",
                ),
                "meaning",
            ),
        }
    ),
    lesson=LESSON,
    generate=input_sizes,
    answer=lambda p: ((p["B"], p["n"], p["n"]), "mean-over-heads"),
    wrong=(
        Wrong(
            "weights-averaged-over-heads", lambda p: (p["B"], p["h"], p["n"], p["n"]), "shape"
        ),
        Wrong("batch-and-sequence-swapped", lambda p: (p["n"], p["B"], p["B"]), "shape"),
        Wrong("output-for-weights", lambda p: (p["B"], p["n"], p["d_model"]), "shape"),
        Wrong("batch-axis-forgotten", lambda p: (p["n"], p["n"]), "shape"),
        *wrong_options(
            "weights-of-first-head",
            "heads-summed",
            "softmax-of-averaged-scores",
            part="meaning",
        ),
    ),
    texts=texts("q06"),
    read=Section("torch_module", "2. One pattern for each head"),
)

q10 = Question(
    id="q10",
    topic="module",
    kind=Parts(
        {
            "output": Shape(("B", "n_q", "d_model")),
            "averaged": Shape(("B", "n_q", "n_k")),
            "per_head": Shape(("B", "h", "n_q", "n_k")),
        }
    ),
    lesson={"B": 2, "n_q": 5, "n_k": 9, "h": 8, "d_model": 64},
    generate=cross_sizes,
    answer=lambda p: (
        (p["B"], p["n_q"], p["d_model"]),
        (p["B"], p["n_q"], p["n_k"]),
        (p["B"], p["h"], p["n_q"], p["n_k"]),
    ),
    wrong=(
        Wrong("output-follows-keys", lambda p: (p["B"], p["n_k"], p["d_model"]), "output"),
        Wrong("heads-not-merged", lambda p: (p["B"], p["h"], p["n_q"], d_k(p)), "output"),
        Wrong(
            "heads-averaged-not-concatenated", lambda p: (p["B"], p["n_q"], d_k(p)), "output"
        ),
        Wrong("queries-and-keys-swapped", lambda p: (p["B"], p["n_k"], p["n_q"]), "averaged"),
        Wrong("lengths-taken-from-query", lambda p: (p["B"], p["n_q"], p["n_q"]), "averaged"),
        Wrong(
            "weights-averaged-over-heads",
            lambda p: (p["B"], p["h"], p["n_q"], p["n_k"]),
            "averaged",
        ),
        Wrong(
            "queries-and-keys-swapped",
            lambda p: (p["B"], p["h"], p["n_k"], p["n_q"]),
            "per_head",
        ),
        Wrong(
            "lengths-taken-from-query",
            lambda p: (p["B"], p["h"], p["n_q"], p["n_q"]),
            "per_head",
        ),
        Wrong(
            "weights-averaged-over-heads", lambda p: (p["B"], p["n_q"], p["n_k"]), "per_head"
        ),
    ),
    texts=texts("q10"),
    read=Section("torch_module", "5. Queries from one sentence, keys from another"),
)

q27 = Question(
    id="q27",
    topic="module",
    kind=Shape(("n", "B", "B")),
    lesson={"B": 3, "n": 7, "h": 4, "d_model": 32},
    generate=input_sizes,
    answer=lambda p: (p["n"], p["B"], p["B"]),
    wrong=(
        Wrong("torch-mha-without-batch-first", lambda p: (p["B"], p["n"], p["n"])),
        Wrong("weights-averaged-over-heads", lambda p: (p["n"], p["h"], p["B"], p["B"])),
        Wrong("output-for-weights", lambda p: (p["B"], p["n"], p["d_model"])),
    ),
    texts=texts("q27"),
    read=Section("bug_hunt", "3. Which axis is the batch?"),
    mistakes=(
        "batch-and-sequence-swapped",
        "reshape-instead-of-transpose",
        "softmax-over-batch",
    ),
)

q28 = Question(
    id="q28",
    topic="module",
    kind=Shape(("B", "n_k")),
    lesson={"B": 3, "n": 7, "h": 4, "d_model": 32},
    generate=input_sizes,
    answer=lambda p: (p["B"], p["n"]),
    wrong=(
        Wrong("weights-averaged-over-heads", lambda p: (p["B"], p["n"], p["n"])),
        Wrong("head-index-on-wrong-axis", lambda p: (p["n"], p["n"])),
        Wrong("axis-kept-by-index", lambda p: (p["B"], 1, p["n"])),
    ),
    texts=texts("q28"),
    read=Section("bug_hunt", "5. One head, please"),
    mistakes=(
        "weights-of-one-head",
        "head-index-ignored",
        "output-and-weights-returned",
        "size-one-axes-squeezed",
    ),
)

q29 = Question(
    id="q29",
    topic="module",
    kind=Choices(
        (
            "context-from-averaged-weights",
            "rows-add-up-to-one",
            "weights-averaged-over-heads",
            "heads-can-be-recovered",
            "second-axis-is-the-query",
        ),
    ),
    lesson=LESSON,
    generate=input_sizes,
    answer=lambda p: ("rows-add-up-to-one", "second-axis-is-the-query"),
    wrong=wrong_options(
        "context-from-averaged-weights",
        "rows-add-up-to-one",
        "weights-averaged-over-heads",
        "heads-can-be-recovered",
        "second-axis-is-the-query",
    ),
    texts=texts("q29"),
    read=Section("torch_module", "2. One pattern for each head"),
    mistakes=(
        "output-instead-of-weights",
        "head-index-on-wrong-axis",
        "context-from-one-head",
        "heads-summed",
        "weights-with-axes-in-another-order",
    ),
)

q30 = Question(
    id="q30",
    topic="module",
    kind=Parts(
        {
            "claim": Choice(
                ("dropout-in-eval", "only-weights-differ", "outputs-differ", "call-refused"),
                "claim",
            ),
            "reason": Choice(
                (
                    "eval-reaches-functions",
                    "scaling-hides-dropout",
                    "eval-fixes-the-seed",
                    "function-has-no-mode",
                ),
                "reason",
            ),
        }
    ),
    lesson={"dropout": "0.1"},
    generate=lambda rng: {"dropout": rng.choice(("0.1", "0.2", "0.25", "0.3", "0.5"))},
    answer=lambda p: ("outputs-differ", "function-has-no-mode"),
    wrong=(
        *wrong_options("dropout-in-eval", "only-weights-differ", "call-refused", part="claim"),
        *wrong_options(
            "eval-reaches-functions",
            "scaling-hides-dropout",
            "eval-fixes-the-seed",
            part="reason",
        ),
    ),
    texts=texts("q30"),
    read=Section("torch_module", "4. The function"),
)

q31 = Question(
    id="q31",
    topic="module",
    kind=Parts(
        {
            "calls": Integer(),
            "reason": Choice(
                (
                    "every-layer-is-called",
                    "weight-taken-without-a-call",
                    "hooks-need-training",
                    "hook-came-too-late",
                ),
                "reason",
            ),
        }
    ),
    lesson={"times": 3, "h": 4, "d_model": 32},
    generate=lambda rng: {"times": rng.choice((3, 5, 6, 7, 9)), **model_sizes(rng)},
    answer=lambda p: (0, "weight-taken-without-a-call"),
    wrong=(
        Wrong("ablation-never-happens", lambda p: p["times"], "calls"),
        Wrong("hook-for-every-head", lambda p: p["times"] * p["h"], "calls"),
        Wrong("hook-for-the-last-call", lambda p: 1, "calls"),
        *wrong_options(
            "every-layer-is-called", "hooks-need-training", "hook-came-too-late", part="reason"
        ),
    ),
    texts=texts("q31"),
    read=Section("head_roles", "5. Take a head away"),
    mistakes=("ablation-after-output",),
)

q32 = Question(
    id="q32",
    topic="module",
    kind=Parts(
        {
            "first": Integer(),
            "stop": Integer(),
            "reason": Choice(
                (
                    "starts-at-zero",
                    "scale-divides-it-out",
                    "left-out-of-training",
                    "same-for-all-keys",
                ),
                "reason",
            ),
        }
    ),
    lesson={"h": 4, "d_model": 32},
    generate=model_sizes,
    answer=lambda p: (p["d_model"], 2 * p["d_model"], "same-for-all-keys"),
    wrong=(
        Wrong("query-bias-idle", lambda p: 0, "first"),
        Wrong("query-bias-idle", lambda p: p["d_model"], "stop"),
        Wrong("value-bias-idle", lambda p: 2 * p["d_model"], "first"),
        Wrong("value-bias-idle", lambda p: 3 * p["d_model"], "stop"),
        *wrong_options(
            "starts-at-zero", "scale-divides-it-out", "left-out-of-training", part="reason"
        ),
    ),
    texts=texts("q32"),
    read=Section("torch_module", "1. Copy the weights over, and back"),
    mistakes=("copy-bias-missing", "projection-bias-missing", "copy-order-mixed-up"),
)

q33 = Question(
    id="q33",
    topic="module",
    kind=Choice(
        (
            "decoder-asks",
            "value-from-query-input",
            "mask-of-the-queries",
            "roles-in-cross-attention-swapped",
        )
    ),
    lesson={"B": 3, "n_q": 5, "n_k": 7, "h": 4, "d_model": 32},
    generate=cross_sizes,
    answer=lambda p: "decoder-asks",
    wrong=wrong_options(
        "value-from-query-input", "mask-of-the-queries", "roles-in-cross-attention-swapped"
    ),
    texts=texts("q33"),
    read=Section("torch_module", "5. Queries from one sentence, keys from another"),
    mistakes=(
        "kv-from-query",
        "value-from-key-input",
        "key-from-another-input",
        "query-from-another-input",
        "arguments-key-query-value",
        "arguments-in-another-order",
        "lengths-taken-from-query",
        "results-in-another-order",
        "mask-on-query-rows",
    ),
)
