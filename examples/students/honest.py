"""Students who did all of the work, some of it, or none; answers in odd forms and shapes in the wrong order."""

from __future__ import annotations

from students.entry import Student, Work, lost
from students.given import ALL_RIGHT, HUNT_RIGHT, RELEASED_BUGS, UNANSWERED, released
from students.later import ONE_MISTAKE, RIGHT, UNTOUCHED
from students.notebook import save_in_colab
from students.styles import EINSUM, LOOPS, PLAIN, TRANSPOSES, hunt, quiz

AMINA = Student(
    "amina",
    "all right, with einsum and helpers of her own",
    quiz=Work(
        ALL_RIGHT,
        quiz(q07="8 ** 0.5", q02="torch.zeros(4, 8, 10, 8).shape", q01="64 // 8") + "# %% before q01\nimport torch\n",
    ),
    bug_hunt=Work(HUNT_RIGHT, EINSUM),
    others=RIGHT,
)

BEKZOD = Student(
    "bekzod",
    "handed everything in untouched",
    quiz=Work("Nothing was answered.", lost=UNANSWERED, ran=False),
    bug_hunt=Work("Nothing was done; the bugs are those that were given out.", lost=RELEASED_BUGS, ran=False),
    others=UNTOUCHED,
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
    "shapes in the wrong order; one mistake in each of the later notebooks",
    quiz=Work(
        "Right sizes in the wrong order: half of the points each.",
        quiz(q02="(8, 4, 10, 8)", q03="[4, 10, 10, 8]", q05='"64 x 192"', q06='((10, 4, 10), "c")'),
        lost={
            "q02": lost(1, "partial", "heads-before-batch"),
            "q03": lost(1, "partial", "heads-last"),
            "q05": lost(1, "partial", "weight-not-transposed"),
            "q06": lost(1.5, "partial", "axes-swapped"),
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
    others=ONE_MISTAKE,
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
        ALL_RIGHT + " The cells are found by what they define, the texts by what stands before them.",
        quiz(),
        edits=(save_in_colab,),
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

STUDENTS = (AMINA, BEKZOD, CAMILLE, FARID, GULNORA, LUCIA, WANJIRU)
