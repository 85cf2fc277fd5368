"""Questions: kinds of answers, parsing, grading, and the cells they become in a notebook."""
