"""A run over the submissions of a class, many at a time: `headcheck grade`, `headcheck merge`."""
