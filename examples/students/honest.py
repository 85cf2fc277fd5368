"""Students who did the work, or some of it: all right, nothing, single mistakes, two mistakes, half of it."""

from __future__ import annotations

from students import styles
from students.entry import Student, Work, lost
from students.notebook import save_in_colab, save_in_vscode
from students.styles import EINSUM, LOOPS, PLAIN, TRANSPOSES, hunt, quiz

UNANSWERED = {name: lost(0, "not_attempted") for name in (*styles.QUIZ, "q11_why", "q12_why")}

RELEASED_BUGS = {
    "wrong_view": lost(0, "not_attempted", "split-view-no-transpose"),
    "missing_transpose": lost(0, "not_attempted", "merge-no-transpose"),
    "batch_first": lost(0, "not_attempted", "torch-mha-without-batch-first"),
    "inverted_mask": lost(0, "not_attempted", "pad-mask-inverted"),
    "averaged_weights": lost(0, "not_attempted", "weights-averaged-over-heads"),
    "d_model_scaling": lost(0, "not_attempted", "scale-sqrt-d-model"),
    "indivisible_heads": lost(0, "not_attempted", "no-divisibility-check"),
}
"""What the cells of the bug hunt get as they are given out: no points, and still the name of the bug."""


def released(*tasks: str) -> dict[str, tuple[float, str, tuple[str, ...]]]:
    """Say what tasks of the bug hunt get that were left alone."""
    return {task: RELEASED_BUGS[task] for task in tasks}


ALL_RIGHT = "Everything is right; what is missing are the points of the two texts, which a person gives."
HUNT_RIGHT = "All seven bugs are named and mended."

AMINA = Student(
    "amina",
    "all right, with einsum and helpers of her own",
    quiz=Work(
        ALL_RIGHT,
        quiz(q07="8 ** 0.5", q02="torch.zeros(4, 8, 10, 8).shape", q01="64 // 8") + "# %% before q01\nimport torch\n",
    ),
    bug_hunt=Work(HUNT_RIGHT, EINSUM),
)

BEKZOD = Student(
    "bekzod",
    "handed both notebooks in untouched",
    quiz=Work("Nothing was answered.", lost=UNANSWERED, ran=False),
    bug_hunt=Work("Nothing was done; the bugs are those that were given out.", lost=RELEASED_BUGS, ran=False),
)

# Each of the seven bugs is left in by one student; first four who did not touch the cell.

DENIZ = Student(
    "deniz",
    "left wrong_view as it was given out",
    quiz=Work(
        "q05 has the two sizes in the wrong order (half), q07 is the root of the model width.",
        quiz(q05="(64, 192)", q07='"sqrt(64)"'),
        lost={"q05": lost(1, "partial", "weight-not-transposed"), "q07": lost(0, "incorrect", "scale-sqrt-d-model")},
    ),
    bug_hunt=Work(
        "wrong_view is as it was given out.",
        hunt(PLAIN, "wrong_view"),
        lost=released("wrong_view"),
    ),
)

ZEYNEP = Student(
    "zeynep",
    "left missing_transpose as it was given out; comments in Turkish",
    quiz=Work(
        "q08: one of the two factors is right.",
        quiz(q08="(8, 8)", q04='("16 640", "16.640")'),
        lost={"q08": lost(1, "partial", "flops-grow-with-heads")},
    ),
    bug_hunt=Work(
        "missing_transpose is as it was given out.",
        hunt(
            LOOPS,
            "missing_transpose",
            batch_first="""
batch_first_symptom = "silent"

def batch_first(x, state, h):
    # Cümleler birbirine karışmasın: önce (n, B, d_model), sonra geri.
    katman = nn.MultiheadAttention(x.shape[-1], h)
    katman.load_state_dict(state)
    ters = x.transpose(0, 1)
    çıktı, _ = katman(ters, ters, ters)
    return çıktı.transpose(0, 1)
""",
        ),
        lost=released("missing_transpose"),
    ),
)

JONAS = Student(
    "jonas",
    "left batch_first as it was given out; keeps a diary in the notebook",
    quiz=Work(
        "q06: the shape still has an axis for the heads; the meaning is right. The second text was not written.",
        quiz(q06='((4, 8, 10, 10), "c")', q12_why=""),
        lost={
            "q06": lost(1, "partial", "weights-averaged-over-heads"),
            "q12_why": lost(0, "not_attempted"),
        },
    ),
    bug_hunt=Work(
        "batch_first is as it was given out.",
        hunt(TRANSPOSES, "batch_first")
        + """\
# %% markdown before wrong_view
**Monday.** Started at 20:10. `view` and `reshape` seem to be the same thing here?

*Later:* not the same! `x.is_contiguous()` tells.
# %% markdown before batch_first
**Tuesday.** The check says 50, 51, 52. No idea yet, I go on and come back to this one.
""",
        lost=released("batch_first"),
    ),
)

OKSANA = Student(
    "oksana",
    "left inverted_mask as it was given out; works in another editor",
    quiz=Work(
        "q09 has the mask the wrong way round, as in the bug hunt.",
        quiz(q09='"a"'),
        edits=(save_in_vscode,),
        lost={"q09": lost(0, "incorrect", "pad-mask-inverted")},
    ),
    bug_hunt=Work(
        "inverted_mask is as it was given out.",
        hunt(PLAIN, "inverted_mask"),
        edits=(save_in_vscode,),
        lost=released("inverted_mask"),
    ),
)

# The other three rewrote the cell and kept the bug.

PRIYA = Student(
    "priya",
    "rewrote averaged_weights and still takes a row of the mean",
    quiz=Work(
        "q10: two of the three shapes are right.",
        quiz(q10="((2, 5, 64), (2, 8, 5, 9), (2, 8, 5, 9))"),
        lost={"q10": lost(2, "partial", "weights-averaged-over-heads")},
    ),
    bug_hunt=Work(
        "averaged_weights: the symptom is right (1 point), the weights are still averaged.",
        hunt(
            PLAIN,
            averaged_weights="""
averaged_weights_symptom = "wrong shape"


def averaged_weights(x, state, h, i):
    attention_layer = nn.MultiheadAttention(embed_dim=x.size(2), num_heads=h, batch_first=True)
    attention_layer.load_state_dict(state)
    attention_layer.eval()
    with torch.no_grad():
        result = attention_layer(query=x, key=x, value=x, need_weights=True)
    per_head = result[1]
    return per_head[:, i]
""",
        ),
        lost={"averaged_weights": lost(1, "partial", "weights-averaged-over-heads")},
    ),
)

MATEO = Student(
    "mateo",
    "rewrote d_model_scaling and still divides by the root of d_model",
    quiz=Work(
        "q04: the biases were left out, in both numbers.",
        quiz(q04="(4 * 64**2, 4 * 64**2)"),
        lost={"q04": lost(0, "incorrect", "biases-forgotten")},
    ),
    bug_hunt=Work(
        "d_model_scaling: the wrong symptom, and the scale is still that of d_model.",
        hunt(
            EINSUM,
            d_model_scaling="""
d_model_scaling_symptom = "wrong shape"

def d_model_scaling(Q, K):
    scale = math.sqrt(Q.size(1) * Q.size(3))   # h * d_k
    return (einsum("bhqd,bhkd->bhqk", Q, K) / scale).softmax(-1)
""",
        ),
        lost={"d_model_scaling": lost(0, "incorrect", "scale-sqrt-d-model")},
    ),
)

LINH = Student(
    "linh",
    "rewrote indivisible_heads and still checks nothing: columns get lost",
    quiz=Work(
        "q01 is the model width.",
        quiz(q01="64"),
        lost={"q01": lost(0, "incorrect", "d-model-for-d-k")},
    ),
    bug_hunt=Work(
        "indivisible_heads: the symptom is right (1 point), nothing is refused.",
        hunt(
            LOOPS,
            indivisible_heads="""
indivisible_heads_symptom = "crash"

def indivisible_heads(x, h):
    d_k = x.shape[2] // h
    x = x[:, :, :h * d_k]      # now it fits
    return x.reshape(x.shape[0], x.shape[1], h, d_k).transpose(1, 2)
""",
        ),
        lost={"indivisible_heads": lost(1, "partial", "no-divisibility-check")},
    ),
)

THANDIWE = Student(
    "thandiwe",
    "two bugs at once, in two tasks",
    quiz=Work(
        "q03 compares heads within a token, q12 has the wrong claim.",
        quiz(q03="(4, 10, 8, 8)", q12='("b", "c")'),
        lost={
            "q03": lost(0, "incorrect", "attends-over-heads"),
            "q12": lost(1, "partial", "counts-decide"),
        },
    ),
    bug_hunt=Work(
        "wrong_view deals the columns out in turn, d_model_scaling has no scale; both symptoms are right.",
        hunt(
            PLAIN,
            wrong_view="""
wrong_view_symptom = "silent"

def wrong_view(x, h):
    B, n, d_model = x.shape
    return x.reshape(B, n, d_model // h, h).permute(0, 3, 1, 2)
""",
            d_model_scaling="""
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    return torch.softmax(Q @ K.transpose(-2, -1), dim=-1)
""",
        ),
        lost={
            "wrong_view": lost(1, "partial", "split-interleaved-d-h"),
            "d_model_scaling": lost(1, "partial", "scale-missing"),
        },
    ),
)

KENJI = Student(
    "kenji",
    "two bugs at once, in one task: no single mistake explains the numbers",
    quiz=Work(
        "q11: the claim goes too far, the reason is right.",
        quiz(q11="['d', 'd']"),
        lost={"q11": lost(1, "partial", "true-of-all-models")},
    ),
    bug_hunt=Work(
        "d_model_scaling has the wrong root and the wrong axis; the symptom is right. A name would mislead.",
        hunt(
            TRANSPOSES,
            d_model_scaling="""
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    h, d_k = Q.shape[1], Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / (h * d_k)**0.5
    return torch.softmax(scores, dim=-2)
""",
        ),
        lost={"d_model_scaling": lost(1, "partial")},
    ),
)

LUCIA = Student(
    "lucia",
    "half of the quiz, and four tasks of the bug hunt",
    quiz=Work(
        "The first six questions are right, the others are open.",
        quiz("", "", **dict.fromkeys(("q07", "q08", "q09", "q10", "q11", "q12"))),
        lost={name: value for name, value in UNANSWERED.items() if name > "q07" or name == "q07"},
    ),
    bug_hunt=Work(
        "Four tasks are right, three are as they were given out.",
        hunt(PLAIN, "averaged_weights", "d_model_scaling", "indivisible_heads"),
        lost=released("averaged_weights", "d_model_scaling", "indivisible_heads"),
    ),
)

FARID = Student(
    "farid",
    "shapes in the wrong order, in both notebooks",
    quiz=Work(
        "Right sizes in the wrong order: half of the points each.",
        quiz(q02="(8, 4, 10, 8)", q03="[4, 10, 10, 8]", q05='"64 x 192"', q06='((10, 4, 10), "c")'),
        lost={
            "q02": lost(1, "partial", "heads-before-batch"),
            "q03": lost(1, "partial", "heads-last"),
            "q05": lost(1, "partial", "weight-not-transposed"),
            "q06": lost(1.5, "partial", "batch-and-sequence-swapped"),
        },
    ),
    bug_hunt=Work(
        "wrong_view, missing_transpose and batch_first have their axes in the wrong order; the symptoms are right.",
        hunt(
            LOOPS,
            wrong_view="""
wrong_view_symptom = "silent"

def wrong_view(x, h):
    B, n, d_model = x.shape
    return x.view(B, n, h, d_model // h)
""",
            missing_transpose="""
missing_transpose_symptom = "silent"

def missing_transpose(weights, V):
    out = weights @ V
    B, h, n_q, d_k = out.shape
    return out.transpose(2, 3).reshape(B, n_q, h * d_k)
""",
            batch_first="""
batch_first_symptom = "silent"

def batch_first(x, state, h):
    mha = nn.MultiheadAttention(x.shape[-1], h)
    mha.load_state_dict(state)
    x = x.transpose(0, 1)
    return mha(x, x, x)[0]
""",
        ),
        lost={
            "wrong_view": lost(1, "partial", "attends-over-heads"),
            "missing_transpose": lost(1, "partial", "merge-transposes-wrong-axes"),
            "batch_first": lost(1, "partial", "batch-and-sequence-swapped"),
        },
    ),
)

CAMILLE = Student(
    "camille",
    "quiz answers in odd forms, some of which cannot be read; symptoms wrong, code right",
    quiz=Work(
        "Odd forms are read where they have one meaning; 8,000 has two, and a sentence is no shape.",
        quiz(
            q02="'4x8x10x8'",
            q03="list((4, 8, 10, 10))",
            q04="'(16640, 16640)'",
            q06="'(4, 10, 10), C)'",
            q07="'√8'",
            q08="(1.0, '8,000')",
            q09="' (D) '",
            q10="'first the batch, then the tokens'",
        ),
        lost={"q08": lost(1, "partial"), "q10": lost(0, "error")},
    ),
    bug_hunt=Work(
        "All code is right, two symptoms are not.",
        hunt(TRANSPOSES)
        .replace('wrong_view_symptom = "silent"', 'wrong_view_symptom = "wrong shape"')
        .replace('indivisible_heads_symptom = "crash"', 'indivisible_heads_symptom = "an exception"'),
        lost={"wrong_view": lost(3, "partial"), "indivisible_heads": lost(3, "partial")},
    ),
)

WANJIRU = Student(
    "wanjiru",
    "handed in the quiz only",
    quiz=Work(ALL_RIGHT, quiz(q07="8 ** .5", q04="(16_640, 16_640)")),
)

GULNORA = Student(
    "gulnora",
    "all right, written in Colab, which drops nbgrader's marks; comments in Uzbek",
    quiz=Work(
        "The cells are found by what they define. Her texts stand in cells without a mark, so a person has to look.",
        quiz(),
        edits=(save_in_colab,),
        lost={"q11_why": lost(0, "not_attempted"), "q12_why": lost(0, "not_attempted")},
    ),
    bug_hunt=Work(
        HUNT_RIGHT + " The cells are found by what they define.",
        hunt(
            PLAIN,
            missing_transpose="""
missing_transpose_symptom = "silent"

def missing_transpose(weights, V):
    # Boshlarni yonma-yon qo‘yamiz: avval 0-bosh, keyin 1-bosh.
    javob = torch.einsum("bhqk,bhkd->bqhd", weights, V)
    return javob.reshape(javob.shape[0], javob.shape[1], -1)
""",
        )
        + """\
# %% before setup
!pip install -q torch
%matplotlib inline
""",
        edits=(save_in_colab,),
    ),
)

STUDENTS = (
    AMINA, BEKZOD, CAMILLE, DENIZ, FARID, GULNORA, JONAS, KENJI, LINH, LUCIA, MATEO, OKSANA, PRIYA, THANDIWE, WANJIRU,
    ZEYNEP,
)  # fmt: skip
