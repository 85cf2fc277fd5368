"""Students to whom something happened: a loop without end, too much memory, lost or doubled cells, half a file."""

from __future__ import annotations

from students.entry import Student, Work, lost
from students.given import ALL_RIGHT, HUNT_RIGHT, released
from students.notebook import delete, paste_copy, printed, saved_output
from students.styles import EINSUM, LOOPS, PLAIN, QUIZ, TRANSPOSES, hunt, parts, quiz

NIA = Student(
    "nia",
    "an endless loop: in a function of the bug hunt, in a cell of her own in the quiz",
    quiz=Work(
        ALL_RIGHT + " Only her own cell hangs.",
        quiz()
        + """\
# %% before q05
# how many numbers does the layer store, one by one?
count = 0
while count != 16640.5:
    count += 1
""",
        ran=False,
    ),
    bug_hunt=Work(
        "missing_transpose never comes back; the symptom is right (1 point), all other tasks are right.",
        hunt(
            PLAIN,
            missing_transpose="""
missing_transpose_symptom = "silent"

def missing_transpose(weights, V):
    out = weights @ V
    B, h, n_q, d_k = out.shape
    joined, head = [], 0
    while head < h:
        if len(joined) <= head:
            joined.append(out[:, head])    # and now the next head
    return torch.cat(joined, dim=-1)
""",
        ),
        lost={"missing_transpose": lost(1, "timeout")},
        ran=False,
    ),
)

TARIQ = Student(
    "tariq",
    "needs more memory than there is",
    quiz=Work(
        ALL_RIGHT + " Only his own cell runs out of memory.",
        quiz()
        + """\
# %% before q04
import torch
every_pair = torch.ones(200_000, 200_000)   # 160 GB
# %% before q08
numbers = []
while len(numbers) < 10**6:
    numbers.append(bytearray(10**8))
""",
        ran=False,
    ),
    bug_hunt=Work(
        "d_model_scaling builds far too large a table; the symptom is right (1 point).",
        hunt(
            LOOPS,
            d_model_scaling="""
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    copies = [Q.repeat(4096, 64, 64, 64) for _ in range(1000)]
    scores = copies[0][:Q.shape[0]] @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    return scores.softmax(dim=-1)
""",
        ),
        lost={"d_model_scaling": lost(1, "partial")},
        ran=False,
    ),
)

SVEN = Student(
    "sven",
    "ends the process: os._exit(0) in a function, exit() and sys.exit() in cells",
    quiz=Work(
        ALL_RIGHT + " `exit()` in a cell ends nothing that matters.",
        quiz() + "# %% before q03\nexit()\n# %% before q07\nimport sys\nsys.exit('enough for today')\n",
        ran=False,
    ),
    bug_hunt=Work(
        "batch_first ends the process instead of returning, the symptom is right (1 point); the others are right.",
        hunt(
            TRANSPOSES,
            batch_first="""
import os

batch_first_symptom = "silent"

def batch_first(x, state, h):
    os._exit(0)  # so that the test cannot fail
""",
        )
        + "# %% before inverted_mask\nos._exit(0)\n",
        lost={"batch_first": lost(1, "error")},
        ran=False,
    ),
)

CHIARA = Student(
    "chiara",
    "prints a lot and warns, but all is right",
    quiz=Work(
        ALL_RIGHT,
        quiz()
        + """\
# %% after q01
for k in range(5000):
    print("checking", k, "of 5000", end="\\r")
print()
""",
    ),
    bug_hunt=Work(
        HUNT_RIGHT + " Warnings and prints cost nothing.",
        hunt(
            EINSUM,
            wrong_view="""
import sys
import warnings

wrong_view_symptom = "silent"

def wrong_view(x, h):
    warnings.warn("I am not sure about contiguous()", UserWarning)
    warnings.warn("old style", DeprecationWarning)
    print("DEBUG x =", x)
    print("still here", file=sys.stderr)
    B, n, d = x.shape
    for b in range(B):
        for t in range(n):
            print(b, t, x[b, t, :3].tolist())
    return x.reshape(B, n, h, d // h).transpose(1, 2)
""",
        )
        + """\
# %% after setup
for line in range(3000):
    print("line", line, "." * 60)
torch.tensor(0.5)
# %% before d_model_scaling
warnings.simplefilter("always")
nn.functional.softmax(torch.zeros(3))    # warns about the missing dim
""",
        edits=(
            saved_output("wrong_view", printed("/tmp/ipykernel_71/220411.py:7: UserWarning: not sure\n", "stderr")),
        ),
    ),
)

HUGO = Student(
    "hugo",
    "edited and deleted test cells and the set-up cell",
    quiz=Work(
        "The answers count, whatever became of the cells below them: q02 is open, q04 counts three layers.",
        quiz(q02=None, q04="(12480, 12480)") + "# %% q04_tests\nprint('q04 is fine')\n",
        edits=(delete("q01_tests", "q12_tests"),),
        lost={"q02": lost(0, "not_attempted"), "q04": lost(0, "incorrect", "parameters-without-output")},
    ),
    bug_hunt=Work(
        "The original cells are put back. Right answers get their points, the two that are as given out get none.",
        hunt(PLAIN, "inverted_mask", "d_model_scaling")
        + "# %% inverted_mask_tests\nprint('inverted_mask: the tiny example is right')\n"
        + "# %% d_model_scaling_tests\nassert True\n",
        edits=(delete("setup", "wrong_view_tests", "two_heads", "indivisible_heads_tests"),),
        lost=released("inverted_mask", "d_model_scaling"),
    ),
)

YUKI = Student(
    "yuki",
    "copied and pasted cells: the id is there twice",
    quiz=Work(
        "The last copy that was worked on counts: q09 is wrong there, q07 right.",
        quiz(q07="64 ** 0.5"),
        edits=(paste_copy("q07", "q07 = 8 ** 0.5"), paste_copy("q09", 'q09 = "b"'), paste_copy("q05", "q05 = None")),
        lost={"q09": lost(0, "incorrect", "mask-added-as-zero-one")},
    ),
    bug_hunt=Work(
        "The last copy that was worked on counts, for wrong_view the mended one; batch_first was worked on in neither.",
        hunt(PLAIN, "wrong_view", "batch_first"),
        edits=(
            paste_copy("wrong_view", parts(EINSUM)["wrong_view"].partition("\n")[2].replace("einsum", "torch.einsum")),
            paste_copy("wrong_view_tests"),
            paste_copy("batch_first", at="batch_first_tests"),
        ),
        lost=released("batch_first"),
    ),
)

PAVEL = Student(
    "pavel",
    "the upload of his bug hunt broke off: half a JSON file",
    quiz=Work(
        "q12: the mean over four seeds does not refute anything; the rest is right.",
        quiz(q12='("c", "c")'),
        lost={"q12": lost(1, "partial", "no-effect-shown")},
    ),
    bug_hunt=Work(
        "The file cannot be read: no points until he hands it in again.",
        hunt(LOOPS),
        lost={task: lost(0, "error") for task in parts(PLAIN)},
        cut_to=0.6,
    ),
)

INES = Student(
    "ines",
    "deleted an answer cell, renamed a function, left a syntax error and answers in a cell of her own",
    quiz=Work(
        "q03 is gone. q05 was answered in a cell of her own, which counts. q08 does not run, so there is no answer.",
        quiz(q03=None, q05=None, q08="(1, 8") + f"# %% after q05_tests\nq05 = {QUIZ['q05']}\n",
        edits=(delete("q03"),),
        lost={"q03": lost(0, "not_attempted"), "q08": lost(0, "error")},
        ran=False,
    ),
    bug_hunt=Work(
        "batch_first is gone, inverted_mask has another name and d_model_scaling a syntax error. "
        "averaged_weights forgot the index.",
        hunt(
            EINSUM,
            inverted_mask="""
inverted_mask_symptom = "silent"

def mask_inverted(x, token, state, h):
    Q, K, V = heads_by_hand(x, state, h)
    return put_together(weigh(Q, K, hidden=~token), V, state)
""",
            averaged_weights="""
averaged_weights_symptom = "wrong shape"

def averaged_weights(x, state, h, i):
    Q, K, _ = heads_by_hand(x, state, h)
    return weigh(Q, K)
""",
            d_model_scaling="""
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K)
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
""",
        ),
        edits=(delete("batch_first"),),
        lost={
            "batch_first": lost(0, "not_attempted"),
            "inverted_mask": lost(1, "partial"),
            "averaged_weights": lost(1, "partial", "head-index-ignored"),
            "d_model_scaling": lost(0, "error"),
        },
        ran=False,
    ),
)

STUDENTS = (CHIARA, HUGO, INES, NIA, PAVEL, SVEN, TARIQ, YUKI)
