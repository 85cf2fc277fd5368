"""Fresh inputs: never the same twice, sizes that cannot be confused, ragged padding."""

import pytest
import torch
from headcheck.grading.draw import Draw
from hypothesis import assume, given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**63 - 1)


def test_two_draws_differ_and_the_same_seed_repeats():
    assert not torch.equal(Draw().tensor(20), Draw().tensor(20))
    one, two = Draw(7), Draw(7)
    assert torch.equal(one.tensor(2, 3), two.tensor(2, 3))
    assert [one.integer(0, 10**9), one.lengths(4, 9)] == [two.integer(0, 10**9), two.lengths(4, 9)]


def test_a_draw_does_not_touch_the_random_numbers_of_the_process():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    Draw().tensor(100)
    assert torch.equal(torch.get_rng_state(), before)


def test_tensors_have_the_shape_type_and_spread_that_were_asked_for():
    x = Draw(1).tensor(100, 100, std=3.0)
    assert (x.shape, x.dtype) == ((100, 100), torch.float32)
    assert 2.9 < x.std() < 3.1
    assert Draw().tensor().shape == ()


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(-5, 5), st.integers(0, 5))
def test_integers_lie_within_both_ends(seed, low, more):
    assert low <= Draw(seed).integer(low, low + more) <= low + more
    assert Draw(seed).choice([low, low + more]) in (low, low + more)


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.lists(st.tuples(st.integers(1, 6), st.integers(0, 4)), min_size=1, max_size=4))
def test_distinct_sizes_differ_and_lie_within_their_ranges(seed, parts):
    ranges = {f"s{i}": (low, low + more) for i, (low, more) in enumerate(parts)}
    try:
        sizes = Draw(seed).distinct(**ranges)
    except ValueError:
        assume(False)
    assert len(set(sizes)) == len(sizes) == len(parts)
    assert all(low <= size <= high for size, (low, high) in zip(sizes, ranges.values(), strict=True))


def test_ranges_that_cannot_differ_are_refused():
    with pytest.raises(ValueError, match="no distinct sizes"):
        Draw().distinct(a=(2, 2), b=(2, 2))


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.integers(2, 6), st.integers(3, 9))
def test_padding_is_ragged_none_is_empty_and_the_longest_is_full(seed, B, n):
    mask = Draw(seed).padding(B, n)
    assert (mask.shape, mask.dtype) == ((B, n), torch.bool)
    lengths = (~mask).sum(1)
    assert lengths.min() >= 1
    assert lengths.max() == n
    assert lengths.min() < n
    for row, length in zip(mask, lengths, strict=True):
        assert not row[:length].any()
        assert row[length:].all()


def test_the_full_row_is_not_always_the_first():
    assert len({Draw(seed).lengths(3, 5).index(5) for seed in range(30)}) == 3
