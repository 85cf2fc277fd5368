"""Students who left bugs in: each of the seven alone, and two at once."""

from __future__ import annotations

from students.entry import Student, Work, lost
from students.given import released
from students.notebook import save_in_vscode
from students.styles import EINSUM, LOOPS, PLAIN, TRANSPOSES, hunt, quiz

# They did not touch the cell.

DENIZ = Student(
    "deniz",
    "left wrong_view as it was given out",
    quiz=Work(
        "q05 has the sizes in the wrong order (half). q07 is 8: the root of d_model as well as d_k itself.",
        quiz(q05="(64, 192)", q07='"sqrt(64)"'),
        lost={
            "q05": lost(1, "partial", "weight-not-transposed"),
            "q07": lost(0, "incorrect", "scale-sqrt-d-model", "scale-twice"),
        },
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
        lost={"q08": lost(1, "partial", "arithmetic-times-heads")},
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

# They rewrote the cell and kept the bug.

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
        lost={"q04": lost(0, "incorrect", "parameters-without-biases")},
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

# Two bugs at once.

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

STUDENTS = (DENIZ, JONAS, KENJI, LINH, MATEO, OKSANA, PRIYA, THANDIWE, ZEYNEP)
