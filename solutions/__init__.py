"""Trusted reference code of the course and the bank of known mistakes; students never see it."""
