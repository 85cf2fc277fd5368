"""Hidden tests of the sentence with two relations: one test for each claim, inputs drawn afresh in every run."""

from __future__ import annotations

from typing import Any

import torch
from headcheck.grading.checks import compare, task

from solutions import two_relations


def draw_matrix(draw: Any, size: int) -> torch.Tensor:
    """Draw a square matrix under which scores stay moderate."""
    return draw.tensor(size, size, std=1.3 / size**0.5)


def draw_heads(draw: Any, h: int, d_k: int) -> list[tuple[torch.Tensor, ...]]:
    """Draw W_q, W_k and W_v, (d_k, d_k) each, of h heads."""
    return [tuple(draw_matrix(draw, d_k) for _ in range(3)) for _ in range(h)]


# block_diagonal


@task("block_diagonal", points=2)
def test_blocks_of_different_sizes(student, draw):
    """Each block stands in its corner, as it is, with zeros elsewhere."""
    p, q = draw.distinct(p=(2, 5), q=(2, 5))
    compare(student.block_diagonal, two_relations.block_diagonal, draw.tensor(p, p), draw.tensor(q, q))


@task("block_diagonal", points=1, kept_for="sizes that agree by chance")
def test_blocks_of_one_size(student, draw):
    """With equal sizes, as in a layer with two heads, the shape tells nothing and the order still counts."""
    p = draw.integer(2, 5)
    compare(student.block_diagonal, two_relations.block_diagonal, draw.tensor(p, p), draw.tensor(p, p))


# head_patterns


@task("head_patterns", points=2)
def test_every_head_compares_its_own_columns(student, draw):
    """Full matrices, no two sizes equal."""
    n, h, d_k = draw.distinct(n=(6, 8), h=(3, 4), d_k=(5, 7))
    d_model = h * d_k
    W_q, W_k = draw_matrix(draw, d_model), draw_matrix(draw, d_model)
    compare(student.head_patterns, two_relations.head_patterns, draw.tensor(n, d_model), W_q, W_k, h)  # (h, n, n)


@task("head_patterns", points=1, kept_for="sizes that agree by chance")
def test_patterns_are_right_where_shapes_cannot_tell(student, draw):
    """With as many tokens as heads, the axes are still not confused."""
    n, d_k = draw.distinct(n=(3, 4), d_k=(5, 7))
    W_q, W_k = draw_matrix(draw, n * d_k), draw_matrix(draw, n * d_k)
    compare(student.head_patterns, two_relations.head_patterns, draw.tensor(n, n * d_k), W_q, W_k, n)  # (n, n, n)


@task("head_patterns", points=1, kept_for="the lesson's own sentence")
def test_the_sentence_has_two_relations(student, draw):
    """The two heads of the sentence look where they should; the sentence itself is shifted a little in each run."""
    X = two_relations.sentence()
    (A_q, A_k, _), (B_q, B_k, _) = map(two_relations.lesson_head, two_relations.SEEDS)
    W_q, W_k = two_relations.block_diagonal(A_q, B_q), two_relations.block_diagonal(A_k, B_k)
    for moved in (X, X + draw.tensor(6, 8, std=0.2)):
        compare(student.head_patterns, two_relations.head_patterns, moved, W_q, W_k, 2)  # (2, 6, 6)


# heads_apart


@task("heads_apart", points=2)
def test_every_head_works_on_its_own_columns(student, draw):
    """Several heads with matrices of their own, no two sizes equal."""
    n, h, d_k = draw.distinct(n=(6, 8), h=(3, 4), d_k=(5, 7))
    compare(student.heads_apart, two_relations.heads_apart, draw.tensor(n, h * d_k), draw_heads(draw, h, d_k))


@task("heads_apart", points=1, kept_for="sizes that agree by chance")
def test_heads_stay_apart_where_shapes_cannot_tell(student, draw):
    """With as many tokens as heads and as columns, tokens, heads and columns are still not confused."""
    n = draw.integer(3, 5)
    compare(student.heads_apart, two_relations.heads_apart, draw.tensor(n, n * n), draw_heads(draw, n, n))
