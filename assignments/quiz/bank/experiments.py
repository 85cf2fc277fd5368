"""Questions about what switching a head off shows, and what it does not."""

from headcheck.quiz.kinds import Choice, Parts
from headcheck.quiz.question import Question, Section, wrong_options

from assignments.quiz.bank.draws import texts

TOKENS = 8
"""Different tokens in the two-target task, so chance is 1/8."""

ABLATIONS = (
    {
        "seed": 0,
        "head": 0,
        "lost": "previous",
        "lost_accuracy": "0.128",
        "kept": "first",
        "kept_accuracy": "1.000",
    },
    {
        "seed": 0,
        "head": 1,
        "lost": "first",
        "lost_accuracy": "0.176",
        "kept": "previous",
        "kept_accuracy": "1.000",
    },
    {
        "seed": 1,
        "head": 0,
        "lost": "first",
        "lost_accuracy": "0.170",
        "kept": "previous",
        "kept_accuracy": "1.000",
    },
    {
        "seed": 1,
        "head": 1,
        "lost": "previous",
        "lost_accuracy": "0.132",
        "kept": "first",
        "kept_accuracy": "1.000",
    },
)
"""Measured in the lesson: two trained models, one head at a time switched off."""

q11 = Question(
    id="q11",
    topic="experiments",
    kind=Parts(
        {
            "claim": Choice(
                ("head-looks-there", "head-needed", "other-head-idle", "true-of-all-models"),
                "claim",
            ),
            "reason": Choice(
                (
                    "weights-prove-use",
                    "accuracy-must-fall-anyway",
                    "chance-means-all-lost",
                    "only-head-changed",
                ),
                "reason",
            ),
        }
    ),
    lesson=ABLATIONS[0],
    generate=lambda rng: rng.choice(ABLATIONS),
    answer=lambda p: ("head-needed", "only-head-changed"),
    wrong=(
        *wrong_options(
            "head-looks-there", "other-head-idle", "true-of-all-models", part="claim"
        ),
        *wrong_options(
            "weights-prove-use",
            "accuracy-must-fall-anyway",
            "chance-means-all-lost",
            part="reason",
        ),
    ),
    texts=texts("q11"),
    read=Section("head_roles", "5. Take a head away"),
    mistakes=(
        "ablation-after-output",
        "ablation-of-queries",
        "ablation-of-output-rows",
        "ablation-of-input-features",
        "ablation-of-scattered-columns",
        "ablation-of-all-others",
        "ablation-of-another-head",
        "ablation-drops-output-bias",
        "ablation-keeps-value-bias",
        "ablation-by-minus-infinity",
        "ablation-left-behind",
    ),
    derived=lambda p: {"tokens": TOKENS, "chance": 1 / TOKENS},
)

q41 = Question(
    id="q41",
    topic="experiments",
    kind=Parts(
        {
            "claim": Choice(
                (
                    "role-from-weights-alone",
                    "weights-mismeasured",
                    "not-needed",
                    "head-never-useful",
                ),
                "claim",
            ),
            "reason": Choice(
                (
                    "nothing-else-changed-and-no-fall",
                    "weights-prove-use",
                    "switching-off-too-weak",
                    "chance-decides",
                ),
                "reason",
            ),
        }
    ),
    lesson={"h": 4, "head": 2, "weight": "0.97"},
    generate=lambda rng: {
        "h": (h := rng.choice((4, 8))),
        "head": rng.randrange(h),
        "weight": f"0.{rng.randrange(90, 100)}",
    },
    answer=lambda p: ("not-needed", "nothing-else-changed-and-no-fall"),
    wrong=(
        *wrong_options(
            "role-from-weights-alone", "weights-mismeasured", "head-never-useful", part="claim"
        ),
        *wrong_options(
            "weights-prove-use", "switching-off-too-weak", "chance-decides", part="reason"
        ),
    ),
    texts=texts("q41"),
    read=Section("head_roles", "6. Give the roles names"),
    mistakes=(
        "profile-of-the-keys",
        "profile-of-the-next-place",
        "profile-columns-swapped",
        "profile-includes-position-one",
        "profile-includes-position-zero",
        "role-from-ablation-alone",
        "role-although-both-fall",
        "role-for-a-partial-loss",
        "role-that-was-never-known",
        "role-of-the-other-answer",
        "role-names-exchanged",
    ),
)
