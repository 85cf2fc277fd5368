"""One jailed child as the trusted process sees it: requests, answers checked for their form, and its end."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, Self

import torch

from headcheck.i18n import _
from headcheck.jail import answers, wire
from headcheck.jail.answers import Answer
from headcheck.jail.channel import OUTPUT_LIMIT, Channel, Ended, Late
from headcheck.jail.errors import (
    CallTimeout,
    ChildDied,
    JailUnavailable,
    NotDefined,
    ProtocolViolation,
    RemoteLost,
    StudentError,
    Unsendable,
)
from headcheck.jail.process import DEADLINE, END_S, EXITED, VIOLATION, Process
from headcheck.jail.remote import Gradients, Remote, Traced, read_gradients
from headcheck.jail.results import CellError, CellResult, Usage
from headcheck.jail.wire import clean

_READY_S = 30.0
# The cell or call alone is interrupted this much before the child would be killed, in the later of two moments.
_SOFT_MARGIN_S = 0.5
_SOFT_SHARE = 0.75


class _Call(NamedTuple):
    """What is called with what, and for how long."""

    target: str | Remote
    method: str | None
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    deadline_s: float

    @property
    def spoken(self) -> str:
        """Its name in a message."""
        return _spoken(self.target, self.method)


class Child:
    """A jailed process that runs a notebook's cells and answers calls. Use it as a context manager.

    Attributes:
        alive: whether it can still be asked something.
        open: whether `close` has not been called yet.
    """

    def __init__(self, channel: Channel, process: Process) -> None:
        self._channel = channel
        self._process = process
        self._usage: Usage | None = None
        self._reason = ""
        self._kept = 0
        self.alive = True

    @property
    def open(self) -> bool:
        """Whether `close` has not been called yet."""
        return self._usage is None

    def await_lockdown(self) -> None:
        """Wait for the child's first frame, which it sends before it sees any student code.

        Raises:
            JailUnavailable: it could not be locked down.
        """
        try:
            header, _payload = self._channel.receive(time.monotonic() + _READY_S)
            reason = str(header["reason"])
            self._process.start_rss_mb = float(header["rss_mb"])
        except (Late, Ended, ProtocolViolation):
            reason = (self._process.report(1.0) or {}).get("setup", _("it ended before it was ready"))
        if reason:
            self.close()
            raise JailUnavailable(_("a child could not be locked down: {reason}").format(reason=clean(reason)))

    def run_cell(self, index: int, source: str, deadline_s: float) -> CellResult:
        """Run one notebook cell; its own failure is reported in the result, not raised.

        Args:
            index: the cell's index in the notebook, used in tracebacks.
            source: its text.
            deadline_s: seconds until the child is killed; a little earlier the cell alone is interrupted.

        Returns:
            How it went.
        """
        if not self.alive:
            return CellResult(ok=False, died=self._reason or EXITED)
        try:
            answer = self._ask({"op": "cell", "index": index, "source": source}, [], deadline_s)
        except Unsendable as error:  # the source itself is too long
            return CellResult(ok=False, error=CellError(type(error).__name__, str(error), None, str(error)))
        except CallTimeout:
            return self._cell_result(ok=False, timed_out=True)
        except (ChildDied, ProtocolViolation):
            return self._cell_result(ok=False)
        if answer.error is not None:
            told = replace(answer.error, message=_late_text(deadline_s)) if answer.late else answer.error
            return self._cell_result(ok=False, error=told, timed_out=answer.late)
        return self._cell_result(ok=True, result=clean(str(answer.value), OUTPUT_LIMIT))

    def call(
        self,
        target: str | Remote,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        deadline_s: float,
        *,
        method: str | None = None,
        keep: bool = False,
        discard: bool = False,
    ) -> Any:
        """Call a function (or class) that the notebook defined, an object that stayed in the child, or its method.

        Args:
            target: the name, or the object.
            args: positional arguments, of the kinds that `wire.encode` takes, or a `Remote` of this child.
            kwargs: named arguments.
            deadline_s: seconds until the child is killed; a little earlier the call alone is interrupted.
            method: name of the method, dotted for one of a part; None calls the target itself.
            keep: leave the result in the child.
            discard: throw the result away, for what returns itself (`eval`, `load_state_dict`).

        Returns:
            What it returned, rebuilt from plain data: never an object of the student's. With `keep` a `Remote`, with
            `discard` None.

        Raises:
            RemoteLost: the object's child is dead, or another one.
            StudentFailure: one of its subclasses; Unsendable also for an argument.
        """
        call = _Call(target, method, args, kwargs, deadline_s)
        answer = self._request_call(call, "keep" if keep else "nothing" if discard else "value")
        value = self._value(answer, call.spoken, deadline_s)
        return value if answer.kept is None else Remote(self, self._kept, answer.kept)

    def trace(
        self,
        target: str | Remote,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        deadline_s: float,
        *,
        method: str | None = None,
    ) -> Traced:
        """Make a call and bring along the torch operations in it: a hint for a message, never evidence.

        Args:
            target: name of a function, or an object that stayed in the child.
            args: as for `call`.
            kwargs: as for `call`.
            deadline_s: as for `call`.
            method: as for `call`.

        Returns:
            The value, or the error with which the call ended, and the steps until then.

        Raises:
            StudentFailure: the call did not end by itself, or there is no such function.
        """
        call = _Call(target, method, args, kwargs, deadline_s)
        answer = self._request_call(call, "value", traced=True)
        try:
            return Traced(self._value(answer, call.spoken, deadline_s), None, answer.steps)
        except (StudentError, Unsendable) as error:
            return Traced(None, error, answer.steps)

    def gradients(
        self,
        target: str | Remote,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        cotangent: torch.Tensor,
        deadline_s: float,
        *,
        method: str | None = None,
    ) -> Gradients:
        """Make a call and backpropagate a cotangent from its first output.

        Args:
            target: name of a function, or an object that stayed in the child.
            args: as for `call`.
            kwargs: as for `call`.
            cotangent: of the shape of the output.
            deadline_s: as for `call`.
            method: as for `call`.

        Returns:
            The output and the gradients of parameters and inputs.

        Raises:
            StudentFailure: as for `call`.
        """
        value = (tuple(args), dict(kwargs), cotangent)
        answer = self._request("gradients", target, method, value, deadline_s)
        try:
            return read_gradients(self._value(answer, _spoken(target, method), deadline_s))
        except ProtocolViolation:
            self._kill(VIOLATION)
            raise

    def attribute(self, remote: Remote, path: str, deadline_s: float) -> Any:
        """Return an attribute of an object that stayed in the child, such as "W_q.weight"; errors as for `call`."""
        answer = self._request("get", remote, path, None, deadline_s)
        return self._value(answer, path, deadline_s)

    def state(self, remote: Remote, deadline_s: float) -> dict[str, torch.Tensor]:
        """Return a module's `state_dict()`.

        Raises:
            Unsendable: it holds something else than tensors by name.
            StudentFailure: as for `call`.
        """
        value = self.call(remote, (), {}, deadline_s, method="state_dict")
        if not isinstance(value, dict):
            raise Unsendable("type", type(value).__name__)
        for key, item in value.items():
            if not isinstance(key, str) or not isinstance(item, torch.Tensor):
                raise Unsendable("type", type(item).__name__)
        return value

    def seed(self, number: int, deadline_s: float) -> None:
        """Seed the random generators of Python, numpy and torch in the child."""
        self._value(self._ask({"op": "seed", "number": number}, [], deadline_s), "", deadline_s)

    def get(self, name: str, deadline_s: float) -> Any:
        """Return the value of a variable of the notebook; arguments and errors as for `call`."""
        return self._value(self._request("get", name, None, None, deadline_s), name, deadline_s)

    def close(self) -> Usage:
        """End the child, whatever it is doing; nothing of it survives. Calling it again returns the same.

        Returns:
            What it used and, if it died earlier, why.
        """
        if self._usage is None:
            self.alive = False
            self._channel.close()
            report = self._process.end()
            self._usage = Usage(
                cpu_s=float(report.get("cpu_s", 0.0)),
                max_rss_mb=(most := float(report.get("max_rss_mb", 0.0))),
                own_mb=max(0.0, most - self._process.start_rss_mb),
                reason=self._reason,
            )
        return self._usage

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _request_call(self, call: _Call, result: str, *, traced: bool = False) -> Answer:
        """Have a call made; `result` says what becomes of what it returns: "value", "keep" or "nothing"."""
        self._kept += result == "keep"
        extra = {"result": result, "traced": traced, "number": self._kept}
        arguments = (tuple(call.args), dict(call.kwargs))
        answer = self._request("call", call.target, call.method, arguments, call.deadline_s, **extra)
        failed = answer.missing or answer.error is not None or answer.unsendable is not None
        if not failed and (answer.kept is not None) != (result == "keep"):
            self._kill(VIOLATION)
            raise ProtocolViolation("not what was asked for")
        return answer

    def _request(
        self, op: str, target: str | Remote, path: str | None, value: object, deadline_s: float, **extra: Any
    ) -> Answer:
        """Ask something about a named value or a kept object; arguments are encoded first."""
        whom: dict[str, Any] = {"on": self._number(target)} if isinstance(target, Remote) else {"name": target}
        tree, buffers = wire.encode(value, self._number_of)
        path_parts = path.split(".") if path else []
        return self._ask({"op": op, **whom, "path": path_parts, "value": tree, **extra}, buffers, deadline_s)

    def _number_of(self, value: object) -> int | None:
        return self._number(value) if isinstance(value, Remote) else None

    def _number(self, remote: Remote) -> int:
        if remote.owner is not self or not self.alive:
            raise RemoteLost
        return remote.number

    def _value(self, answer: Answer, what: str, deadline_s: float) -> Any:
        if answer.missing:
            raise NotDefined(_("the notebook does not define {name}").format(name=what))
        if answer.unsendable is not None:
            raise answer.unsendable
        if answer.error is None:
            return answer.value
        if answer.late:
            raise CallTimeout(_late_text(deadline_s))
        raise StudentError(answer.error.type_name, answer.error.message, answer.error.cell, answer.error.line)

    def _ask(self, request: dict[str, Any], buffers: list[bytes], deadline_s: float) -> Answer:
        """Send a request and read its answer; a child that breaks a rule or the deadline is killed."""
        if not self.alive:
            raise ChildDied(self._reason or EXITED)
        deadline = time.monotonic() + deadline_s
        soft = max(deadline_s - _SOFT_MARGIN_S, _SOFT_SHARE * deadline_s)
        try:
            header, payload = self._channel.request({**request, "soft": soft}, buffers, deadline)
            return answers.parse(header, payload, traced=request.get("traced") is True)
        except Late:
            self._kill(DEADLINE)
            raise CallTimeout(_late_text(deadline_s)) from None
        except Ended:
            self._kill(self._own_end())
            raise ChildDied(self._reason) from None
        except ProtocolViolation:
            self._kill(VIOLATION)
            raise

    def _own_end(self) -> str:
        report = self._process.report(END_S)
        return EXITED if report is None else self._process.reason(report)

    def _kill(self, reason: str) -> None:
        self.alive = False
        self._reason = reason
        self._process.kill()

    def _cell_result(
        self, *, ok: bool, error: CellError | None = None, result: str = "", timed_out: bool = False
    ) -> CellResult:
        return CellResult(
            ok=ok,
            error=error,
            stdout=self._channel.stdout.text(),
            stderr=self._channel.stderr.text(),
            result=result,
            timed_out=timed_out,
            died=None if self.alive else self._reason,
        )


def _late_text(deadline_s: float) -> str:
    return _("it took longer than {seconds:g} s").format(seconds=deadline_s)


def _spoken(target: str | Remote, method: str | None) -> str:
    """Name what is called, for a message."""
    name = target.type_name if isinstance(target, Remote) else target
    return f"{name}.{method}" if method else name
