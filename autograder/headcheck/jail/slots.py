"""A number of its own for every jail of this machine that runs as root: it makes the user id of its children."""

import socket
from typing import Self

from headcheck.i18n import _
from headcheck.jail.errors import JailUnavailable

FIRST_UID = 61000
SLOTS = 184  # up to 61183; systemd gives the next ones to its own services
NAME = "\0headcheck-slot-{number}"


class Slot:
    """A claim on a user id. The kernel ends it with the process that made it, however that ends.

    Attributes:
        uid: the user id, which no other jail of this machine uses.
    """

    def __init__(self, uid: int, claim: socket.socket) -> None:
        self.uid = uid
        self._claim = claim

    @classmethod
    def claim(cls) -> Self:
        """Claim the first free slot, by taking a name that only one socket of the machine can have.

        Raises:
            JailUnavailable: all are taken.
        """
        claim = socket.socket(socket.AF_UNIX)
        for number in range(SLOTS):
            try:
                claim.bind(NAME.format(number=number))
            except OSError:  # taken
                continue
            return cls(FIRST_UID + number, claim)
        claim.close()
        raise JailUnavailable(
            _("all {number} user ids for student code are in use by other graders on this machine").format(number=SLOTS)
        )

    def release(self) -> None:
        """Let others have it."""
        self._claim.close()
