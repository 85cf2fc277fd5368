"""What the visible checks print, so that a saved notebook looks like one that was run."""

from __future__ import annotations

import re
from typing import Any

from students.notebook import Notebook, grade_id, printed, source_of

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\n"
"""One pixel stands in for the figure of the mask."""

RIGHT = {
    "wrong_view": """\
asked for (1, 2, 3, 2), got (1, 2, 3, 2)
head 0, token by token: [[0.0, 0.0], [10.0, 10.0], [20.0, 20.0]]
head 1, token by token: [[1.0, 1.0], [11.0, 11.0], [21.0, 21.0]]
wrong_view: the tiny example is right
""",
    "missing_transpose": """\
asked for (1, 3, 4), got (1, 3, 4)
token 0: [0.0, 0.0, 1.0, 1.0]
token 1: [10.0, 10.0, 11.0, 11.0]
token 2: [20.0, 20.0, 21.0, 21.0]
missing_transpose: the tiny example is right
""",
    "batch_first": """\
asked for (2, 3, 4), got (2, 3, 4)
sentence 0 holds [0.0, 1.0, 2.0], its answers are [1.0, 1.0, 1.0]
sentence 1 holds [100.0, 101.0, 102.0], its answers are [101.0, 101.0, 101.0]
batch_first: the tiny example is right
""",
    "inverted_mask": "asked for (2, 4, 4), got (2, 4, 4)\ninverted_mask: the tiny example is right\n",
    "averaged_weights": """\
asked for (1, 4, 4), got (1, 4, 4) and (1, 4, 4)
averaged_weights: the tiny example is right
""",
    "d_model_scaling": """\
asked for (1, 4, 1, 2), got (1, 4, 1, 2)
head 0 beside three others: [0.7500000596046448, 0.25]
head 0 alone:               [0.7500000596046448, 0.25]
d_model_scaling: the tiny example is right
""",
    "indivisible_heads": "indivisible_heads: the tiny example is right\n",
}
"""Task of the bug hunt -> what its check prints when all is well."""

COMPLAINTS = {
    "wrong_view": "head 0 should hold the entries that end in 0, one row for each of the tokens 0, 1, 2",
    "missing_transpose": "the row of token 0 should be 0, 0 (from head 0) and 1, 1 (from head 1)",
    "batch_first": "sentence 0 should answer 1 everywhere, the mean of its own tokens 0, 1, 2",
    "inverted_mask": 'in the first sentence "two" and "words" should get half of the attention each, PAD none',
    "averaged_weights": "one head should have weights of shape (B, n, n) = (1, 4, 4)",
    "d_model_scaling": "every head should give the first key 0.75 and the second 0.25",
    "indivisible_heads": "six numbers cannot be dealt out to four heads, this should be refused",
}
"""Task of the bug hunt -> how its check ends while the bug is in."""


def run_all(notebook: Notebook, wrong: set[str]) -> None:
    """Number the code cells and fill in what the checks printed, as "Run All" and "Save" do.

    Args:
        notebook: the notebook; outputs that are there already stay.
        wrong: tasks whose visible check complains.
    """
    answers = {grade_id(cell): source_of(cell) for cell in notebook["cells"]}
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    for number, cell in enumerate(code, start=1):
        cell["execution_count"] = number
        task = grade_id(cell).removesuffix("_tests")
        if grade_id(cell).endswith("_tests") and not cell["outputs"]:
            cell["outputs"] = _of_check(task, answers.get(task, ""), task in wrong)
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = number


def _of_check(task: str, answer: str, wrong: bool) -> list[dict[str, Any]]:
    if re.fullmatch(r"q\d\d", task):
        text = (
            "not answered yet"
            if re.search(r"= None$", answer)
            else "the form is right; the grader will look at the value"
        )
        return [printed(f"{task}: {text}\n")]
    if wrong:
        return [_assertion(f"{task}: {COMPLAINTS[task]}")]
    picture = [{"data": {"image/png": PICTURE}, "metadata": {}, "output_type": "display_data"}]
    return [*(picture if task == "inverted_mask" else []), printed(RIGHT[task])]


def _assertion(message: str) -> dict[str, Any]:
    line = f"AssertionError: {message}"
    return {"ename": "AssertionError", "evalue": message, "output_type": "error", "traceback": [line]}
