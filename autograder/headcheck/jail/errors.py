"""What can go wrong between the trusted process and a student's process."""


class StudentFailure(Exception):
    """A call or cell gave no value. Never a pass; the subclass says why."""


class StudentError(StudentFailure):
    """The student's code raised an exception.

    Attributes:
        type_name: class name of the exception, a claim of the student's process (plain text, control characters removed).
        message: its text, bounded in length, control characters removed.
        line: line in the cell that raised, counted from 1, or None when it is not known.
        cell: index of the cell that the line is in (as the client numbered it), or None.
    """

    def __init__(self, type_name: str, message: str, cell: int | None = None, line: int | None = None) -> None:
        super().__init__(f"{type_name}: {message}" if message else type_name)
        self.type_name = type_name
        self.message = message
        self.cell = cell
        self.line = line


class NotDefined(StudentFailure):
    """The notebook defines no such name (or the name is not callable where a call was asked for)."""


class Unsendable(StudentFailure):
    """The value is of a kind that does not cross the wall (an object, a sparse tensor, far too large...)."""


class CallTimeout(StudentFailure):
    """The deadline passed. The child may still live (`Child.alive`)."""


class ChildDied(StudentFailure):
    """The process ended: killed by a limit, `os._exit`, a crash. `reason` is a short plain phrase."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ProtocolViolation(StudentFailure):
    """The bytes that came back are not an answer to what was asked. The child is killed."""


class JailUnavailable(Exception):
    """The jail itself could not be set up. This is never the student's fault and never a score."""
