"""The bank of known mistakes: what students with each of them would return."""

from headcheck.diagnosis.bank import Mistake

from solutions.mistakes import contract, mask, merge, returns, scale, split

STAGES = (split, scale, mask, merge, returns, contract)

BANK: dict[str, Mistake] = {mistake.id: mistake for stage in STAGES for mistake in stage.MISTAKES}
"""Mistake id -> mistake, in the order in which the stages come in an attention layer."""
