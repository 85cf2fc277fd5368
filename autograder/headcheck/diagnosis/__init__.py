"""Names the mistake: matches a wrong result with the bank of known mistakes."""
