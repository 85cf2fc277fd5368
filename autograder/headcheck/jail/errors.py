"""What can go wrong between the trusted process and a student's process."""

from headcheck.i18n import N_, _


class StudentFailure(Exception):
    """A call or cell gave no value. Never a pass; the subclass says why."""


class StudentError(StudentFailure):
    """The student's code raised an exception.

    Attributes:
        type_name: class name of the exception, a claim of the student's process (control characters removed).
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
    """The value is of a kind that does not cross the wall (an object, a sparse tensor, far too large...).

    Attributes:
        code: what is wrong with it, a key of `UNSENDABLE`.
        detail: the word or number that completes the sentence, such as the name of the type.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(_(UNSENDABLE[code]).format(detail=detail))
        self.code = code
        self.detail = detail


UNSENDABLE = {
    "type": N_(
        "a value of type {detail} cannot be handed over; numbers, strings, lists, tuples, dictionaries and tensors can"
    ),
    "key": N_("a dictionary with a key of type {detail} cannot be handed over; the keys must be strings or integers"),
    "text": N_("a dictionary with control characters in a key cannot be handed over"),
    "dtype": N_("a tensor of type {detail} cannot be handed over"),
    "layout": N_("a tensor with the layout {detail} cannot be handed over, only a dense one"),
    "device": N_("a tensor on the device {detail} cannot be handed over, only one on the CPU"),
    "shape": N_("a tensor of the shape {detail} cannot be handed over"),
    "number": N_("an integer of {detail} bits cannot be handed over"),
    "depth": N_("a value nested more than {detail} levels deep cannot be handed over"),
    "size": N_("the value is too large to be handed over (more than {detail})"),
}


class CallTimeout(StudentFailure):
    """The deadline passed. The child may still live (`Child.alive`)."""


class ChildDied(StudentFailure):
    """The process ended: killed by a limit, `os._exit`, a crash. `reason` is a short plain phrase."""

    def __init__(self, reason: str) -> None:
        super().__init__(_(reason))
        self.reason = reason


class RemoteLost(ChildDied):
    """An object that stayed in a child is gone, because the child is."""

    def __init__(self) -> None:
        super().__init__(N_("the object was lost when the notebook's process ended"))


class ProtocolViolation(StudentFailure):
    """The bytes that came back are not an answer to what was asked. The child is killed."""


class JailUnavailable(Exception):
    """The jail itself could not be set up. This is never the student's fault and never a score."""
