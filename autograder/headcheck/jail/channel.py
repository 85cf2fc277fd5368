"""The trusted end of a child's socket and output pipes: one request and one answer at a time, under one deadline."""

import os
import secrets
import select
import socket
import time
from typing import Any, BinaryIO

from headcheck.jail import wire
from headcheck.jail.errors import ProtocolViolation
from headcheck.jail.wire import clean

OUTPUT_LIMIT = 64 << 10
_CHUNK = 64 << 10  # also what a pipe holds

Frame = tuple[dict[str, Any], bytearray]


class Late(Exception):
    """The deadline passed before the whole answer was there."""


class Ended(Exception):
    """The other side hung up."""


class Capture:
    """Keeps the first part of what comes out of a pipe and counts the rest.

    Attributes:
        total: bytes that came since `restart`.
    """

    def __init__(self, pipe: BinaryIO) -> None:
        self.pipe = pipe
        self.open = True
        os.set_blocking(pipe.fileno(), False)
        self.restart()

    def restart(self) -> None:
        """Forget what was kept."""
        self.kept = bytearray()
        self.total = 0

    def read_some(self) -> bool:
        """Take what is there, at most one pipe full; return whether something was."""
        try:
            data = os.read(self.pipe.fileno(), _CHUNK) if self.open else b""
        except BlockingIOError:
            return False
        self.open = bool(data)
        self.total += len(data)
        self.kept += data[: max(0, OUTPUT_LIMIT - len(self.kept))]
        return bool(data)

    def text(self) -> str:
        """Return what was kept as safe text, with a note of how much is missing."""
        while self.total < OUTPUT_LIMIT and self.read_some():  # written before the answer, so it is in the pipe by now
            pass
        kept = clean(self.kept.decode("utf-8", "replace"))
        cut = self.total - len(self.kept)
        return f"{kept}\n[... {cut} more bytes]\n" if cut else kept


class Channel:
    """Sends requests to a child and receives answers that are believed only as far as their form goes."""

    def __init__(self, connection: socket.socket, out: BinaryIO, err: BinaryIO) -> None:
        self.connection = connection
        self.stdout = Capture(out)
        self.stderr = Capture(err)
        connection.setblocking(False)  # the deadline is kept here, by polling
        self._poll = select.poll()
        for source in (connection, out, err):
            self._poll.register(source, select.POLLIN)

    def request(
        self, header: dict[str, Any], buffers: list[bytes], deadline: float
    ) -> tuple[dict[str, Any], bytearray]:
        """Send one request and wait for its answer.

        Args:
            header: the request; a fresh random id is added.
            buffers: its tensors.
            deadline: on the clock of `time.monotonic`, for all of it.

        Returns:
            Header and payload of the answer to this very request.

        Raises:
            Late: the deadline passed.
            Ended: the child hung up.
            ProtocolViolation: the bytes are no answer to this request.
            Unsendable: the request is too large.
        """
        number = secrets.randbits(52)
        pieces = wire.frame({**header, "id": number}, buffers)
        for capture in (self.stdout, self.stderr):
            capture.read_some()
            capture.restart()
        self._send(pieces, deadline)
        answer, payload = self.receive(deadline)
        if type(answer.get("id")) is not int or answer["id"] != number:
            raise ProtocolViolation("an answer to something else")
        return answer, payload

    def receive(self, deadline: float) -> Frame:
        """Wait for one frame; errors as for `request`."""
        header_length, payload_length = wire.lengths(self._exactly(wire.PREFIX.size, deadline))
        header = self._exactly(header_length, deadline)
        return wire.parse_header(header), self._exactly(payload_length, deadline)

    def close(self) -> None:
        """Close every end that is ours."""
        for source in (self.connection, self.stdout.pipe, self.stderr.pipe):
            source.close()

    def _send(self, pieces: list[bytes], deadline: float) -> None:
        for piece in pieces:
            view = memoryview(piece)
            while view:
                left = _left(deadline)
                try:
                    view = view[self.connection.send(view) :]
                except BlockingIOError:
                    wait_for(self.connection.fileno(), select.POLLOUT, left)
                except OSError:
                    raise Ended from None

    def _exactly(self, length: int, deadline: float) -> bytearray:
        data = bytearray(length)
        view, done = memoryview(data), 0
        while done < length:
            self._wait(deadline)
            try:
                got = self.connection.recv_into(view[done:])
            except BlockingIOError:
                continue
            except OSError:
                raise Ended from None
            if not got:
                raise Ended
            done += got
        return data

    def _wait(self, deadline: float) -> None:
        """Wait until the socket may be readable; meanwhile keep the output pipes from filling up."""
        ready = self._poll.poll(1000 * _left(deadline))
        for number, _ in ready:
            for capture in (self.stdout, self.stderr):
                if number == capture.pipe.fileno() and not capture.read_some() and not capture.open:
                    self._poll.unregister(number)


def wait_for(number: int, event: int, seconds: float) -> bool:
    """Wait until a file descriptor is ready (select(2) cannot do it for numbers from 1024 on)."""
    poll = select.poll()
    poll.register(number, event)
    return bool(poll.poll(1000 * seconds))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise Late
    return left
