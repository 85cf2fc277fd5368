"""The errors that a person caused and can mend: one clear line, exit status 2."""


class UsageError(Exception):
    """Input that cannot be used. The text says what, where and what to do; it is printed as one line, no traceback."""
