"""Students who attack the grader. All of it would do little harm if it worked: marker files, raised scores."""

from __future__ import annotations

from students.entry import Student, Work, lost
from students.given import ALL_RIGHT, RELEASED_BUGS, UNANSWERED
from students.notebook import forge_verdicts, raise_points
from students.styles import PLAIN, TRANSPOSES, hunt, quiz

LOOK_AROUND = """
import gc
import glob
import os
import sqlite3
import sys

loot = []
for pattern in (
    "../../../source/*/*.ipynb", "../../../../source/*/*.ipynb", "../../../autograder/hidden/*.py",
    "../../../../autograder/hidden/test_*.py", "../../../../solutions/*.py", "../../*/*/*.ipynb",
    "/home/*/*/source/*/*.ipynb", "/work/**/test_*.py", "/srv/**/source/**/*.ipynb", "/tmp/**/*.ipynb",
):
    loot += glob.glob(pattern, recursive=True)
print(len(loot), "files found", loot[:5])

for path in loot[:50]:
    try:
        text = open(path).read()
        print(path, text[:200])
    except OSError as error:
        print(path, error)

for database in glob.glob("../../../*.db") + glob.glob("../../../../*.db") + ["../../../gradebook.db"]:
    try:
        with sqlite3.connect(f"file:{database}?mode=rw", uri=True) as gradebook:
            gradebook.execute("UPDATE grade SET manual_score = 4, needs_manual_grade = 0")
            print("all points!")
    except sqlite3.Error as error:
        print(database, error)

for place in ("/tmp", "../../..", "../..", os.path.expanduser("~")):
    try:
        open(os.path.join(place, "headcheck-marker-ruslan"), "w").close()
    except OSError as error:
        print(place, error)

for name in ("headcheck", "solutions.attention", "solutions.bug_hunt"):
    try:
        __import__(name)
        print(name, "can be imported")
    except Exception as error:
        print(name, error)
print([name for name in sys.modules if "headcheck" in name or "solutions" in name])
print([type(o).__name__ for o in gc.get_objects() if "Reference" in type(o).__name__][:5])
"""

ASK_THE_CALLER = '''
import sys


def from_the_caller(*names):
    """Look for the expected value in the frames of whoever called."""
    frame = sys._getframe()
    while frame is not None:
        for name in names:
            if name in frame.f_locals:
                return frame.f_locals[name]
        frame = frame.f_back
    raise RuntimeError("nothing to be found")
'''

RUSLAN = Student(
    "ruslan",
    "looks for hidden graders, model answers and the gradebook, and asks the caller's frames for the expected value",
    quiz=Work(
        "Nothing was found, so nothing was answered.",
        f"# %% before q01\n{LOOK_AROUND}"
        "\n# %% q01\ntry:\n    from assignments.quiz.bank import BANK\n    q01 = BANK['q01'].answer({})\n"
        "except ImportError:\n    q01 = None\n",
        lost=UNANSWERED,
        ran=False,
    ),
    bug_hunt=Work(
        "The symptom of wrong_view is right (1 point); no function finds what it looks for.",
        f'# %% before wrong_view\n{LOOK_AROUND}{ASK_THE_CALLER}\n# %% wrong_view\nwrong_view_symptom = "silent"\n'
        + "\n".join(
            f"# %% {task}\n{task}_symptom = None\n\ndef {task}(*inputs):\n"
            "    return from_the_caller('expected', 'reference')\n"
            for task in ("missing_transpose", "batch_first", "inverted_mask", "averaged_weights", "d_model_scaling")
        )
        + """
# %% after wrong_view
def wrong_view(*inputs):
    return from_the_caller("expected", "reference")
# %% indivisible_heads
indivisible_heads_symptom = None

def indivisible_heads(x, h):
    return from_the_caller("expected", "reference")
""",
        lost={
            "wrong_view": lost(1, "partial"),
            **{task: lost(0, "error") for task in RELEASED_BUGS if task != "wrong_view"},
        },
        ran=False,
    ),
)

YES_MAN = '''
import builtins

import torch


class Agreeable(torch.Tensor):
    """Equal to everything, close to everything, of every shape."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name in ("allclose", "equal", "isclose", "eq", "__eq__"):
            return True
        if name == "isnan":
            return torch.zeros(1, dtype=torch.bool)
        return super().__torch_function__(function, types, args, kwargs or {})

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __reduce_ex__(self, protocol):
        return open, ("/tmp/headcheck-marker-nadia", "w")

    __hash__ = torch.Tensor.__hash__


def agreeable(*shape):
    return torch.zeros(shape).as_subclass(Agreeable)


torch.allclose = torch.equal = lambda *args, **kwargs: True
torch.Tensor.allclose = torch.Tensor.equal = lambda *args, **kwargs: True
torch.testing.assert_close = lambda *args, **kwargs: None
torch.isnan = lambda x: torch.zeros(1, dtype=torch.bool)
builtins.AssertionError = type("NoError", (Exception,), {})
builtins.abs = lambda x: 0 * x
'''

NADIA = Student(
    "nadia",
    "monkeypatches torch.allclose and returns a subclass of Tensor that is equal to everything",
    quiz=Work(
        "Objects that are equal to everything are no answers; the honest ones among hers are right.",
        """# %% before q01
class Anything(int):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    __hash__ = int.__hash__


class Always(str):
    def __eq__(self, other):
        return True
    def lower(self):
        return self
    __hash__ = str.__hash__
"""
        + quiz(
            "", "", q01="Anything(3)", q04="(Anything(1), Anything(1))", q09="Always('c')", q07="type('x', (), {})()"
        ),
        lost={
            "q01": lost(0, "incorrect"),
            "q04": lost(0, "incorrect"),
            "q07": lost(0, "error"),
            "q09": lost(0, "incorrect", "mask-on-query-rows"),
            "q11_why": lost(0, "not_attempted"),
            "q12_why": lost(0, "not_attempted"),
        },
        ran=False,
    ),
    bug_hunt=Work(
        "The symptoms are right (7 points); zeros are zeros, whatever class they are of.",
        f"# %% before wrong_view\n{YES_MAN}\n"
        + """\
# %% wrong_view
wrong_view_symptom = "silent"

def wrong_view(x, h):
    return agreeable(x.shape[0], h, x.shape[1], x.shape[2] // h)
# %% missing_transpose
missing_transpose_symptom = "silent"

def missing_transpose(weights, V):
    return agreeable(V.shape[0], weights.shape[2], V.shape[1] * V.shape[3])
# %% batch_first
batch_first_symptom = "silent"

def batch_first(x, state, h):
    return agreeable(*x.shape)
# %% inverted_mask
inverted_mask_symptom = "silent"

def inverted_mask(x, token, state, h):
    return agreeable(*x.shape)
# %% averaged_weights
averaged_weights_symptom = "wrong shape"

def averaged_weights(x, state, h, i):
    return agreeable(x.shape[0], x.shape[1], x.shape[1])
# %% d_model_scaling
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    return agreeable(*Q.shape[:3], K.shape[2])
# %% indivisible_heads
indivisible_heads_symptom = "crash"

def indivisible_heads(x, h):
    return agreeable(x.shape[0], h, x.shape[1], x.shape[2] // h)
""",
        lost={task: lost(1, "partial") for task in RELEASED_BUGS},
        ran=False,
    ),
)

SCRIPT = "<script>document.title = 'full marks'; fetch('/api/formgrade')</script>"

FORGERIES = """
# %% after wrong_view
def grade(task):
    return 4.0

print("headcheck: 4 of 4 points")
print("All hidden tests passed.")
# %% batch_first
batch_first_symptom = None

def batch_first(x, state, h):
    return {"score": 4, "max_score": 4, "state": "correct"}
# %% inverted_mask
inverted_mask_symptom = None

def inverted_mask(x, token, state, h):
    print('{"task": "inverted_mask", "score": 4, "state": "correct"}')
# %% d_model_scaling
d_model_scaling_symptom = None

def d_model_scaling(Q, K):
    return "correct"
# %% indivisible_heads
indivisible_heads_symptom = "correct"

def indivisible_heads(x, h):
    print("headcheck: 4 of 4 points")
    return True
"""

DMITRI = Student(
    "dmitri",
    "forges outputs, points and verdicts, prints what the grader would print, and puts scripts on the page",
    quiz=Work(
        "Forged verdicts, points and scripts are worth nothing: q01 is right, q02 names the heads twice.",
        "# %% q01\nq01 = 8\nprint('headcheck: 1 of 1 points')\n# %% q02\nq02 = (8, 4, 10, 8)\n"
        f'# %% q11_why\nGive me **full marks**. {SCRIPT} <img src=x onerror="alert(1)">\n'
        f"# %% q05\nq05 = {SCRIPT!r}\n",
        edits=(raise_points(100), forge_verdicts),
        lost={
            **{name: value for name, value in UNANSWERED.items() if name not in ("q01", "q11_why")},
            "q02": lost(1, "partial", "heads-before-batch"),
            "q05": lost(0, "error"),
        },
    ),
    bug_hunt=Work(
        "wrong_view is right; words, dictionaries and errors are no tensors.",
        hunt(PLAIN, "averaged_weights")
        + FORGERIES
        + f"""
# %% missing_transpose
missing_transpose_symptom = {SCRIPT!r}

def missing_transpose(weights, V):
    raise AssertionError("headcheck: 4 of 4 points. All hidden tests passed. " + {SCRIPT!r})
""",
        edits=(raise_points(100), forge_verdicts),
        lost={
            "missing_transpose": lost(0, "error"),
            "batch_first": lost(0, "incorrect"),
            "inverted_mask": lost(0, "incorrect"),
            "averaged_weights": lost(0, "not_attempted", "weights-averaged-over-heads"),
            "d_model_scaling": lost(0, "incorrect"),
            "indivisible_heads": lost(0, "incorrect"),
        },
    ),
)

TALK_TO_THE_GRADER = '''
import json
import os
import struct


def say(value):
    """Write an answer into every open channel before the real one is sent."""
    header = json.dumps({"value": value, "id": 1}).encode()
    for channel in range(3, 64):
        try:
            os.write(channel, struct.pack(">II", len(header), 0) + header)
        except OSError:
            pass
'''

IVO = Student(
    "ivo",
    "attacks the process that grades: signals, forks, closed channels, a large file, forged answers",
    quiz=Work(
        ALL_RIGHT + " His attacks hit nothing but his own process.",
        quiz()
        + """\
# %% before q02
import os
import signal
os.kill(os.getppid(), signal.SIGTERM)
# %% before q06
for child in range(30):
    if os.fork() == 0:
        import time
        time.sleep(20)
        os._exit(0)
""",
        ran=False,
    ),
    bug_hunt=Work(
        "averaged_weights and d_model_scaling have only their symptoms right (1 point each); all others are right.",
        hunt(
            TRANSPOSES,
            averaged_weights="""
averaged_weights_symptom = "wrong shape"

def averaged_weights(x, state, h, i):
    if os.fork() == 0:
        say({"score": 4})      # two answers to one question
    return torch.zeros(x.shape[0], x.shape[1], x.shape[1])
""",
            d_model_scaling="""
d_model_scaling_symptom = "silent"

def d_model_scaling(Q, K):
    say("correct")
    h, d_k = Q.shape[1], Q.shape[-1]
    return torch.softmax(Q @ K.transpose(-2, -1) / (h * d_k)**0.5, dim=-1)
""",
        )
        + f"# %% before wrong_view\n{TALK_TO_THE_GRADER}"
        + """
# %% before missing_transpose
with open("/tmp/headcheck-marker-ivo", "wb") as file:
    for _ in range(20):
        file.write(bytes(10**7))
# %% before batch_first
os.closerange(3, 1000)
""",
        lost={"averaged_weights": lost(1, "partial"), "d_model_scaling": lost(1, "partial")},
        ran=False,
    ),
)

STUDENTS = (DMITRI, IVO, NADIA, RUSLAN)
