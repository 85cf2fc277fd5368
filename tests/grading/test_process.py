"""A student's process is replaced when it hangs or dies, and one bad cell or call costs only itself."""

import pytest
from headcheck.course.config import RunLimits
from headcheck.course.submission import Submission, SubmittedCell
from headcheck.grading import process as module
from headcheck.grading.process import RERUN_SECONDS, StudentProcess
from headcheck.jail.client import CellError, CellResult, Usage
from headcheck.jail.errors import CallTimeout, ChildDied, JailUnavailable, StudentError

LIMITS = RunLimits(cell_seconds=20, call_seconds=5, submission_seconds=100)


class Clock:
    """Time that only passes when a child works."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


def call(process, name, args, kwargs):
    return process.ask(lambda child, seconds: child.call(name, args, kwargs, seconds))


class FakeJail:
    """Hands out children that do what the text of a cell says: `die`, `hang`, `stall`, `raise`, or anything else."""

    def __init__(self, clock):
        self.clock, self.children = clock, []

    def spawn(self):
        self.children.append(FakeChild(self.clock))
        return self.children[-1]


class FakeChild:
    def __init__(self, clock):
        self.clock, self.alive, self.closed = clock, True, 0
        self.cells, self.calls = [], []

    def run_cell(self, index, source, seconds):
        assert self.alive
        self.cells.append((index, seconds))
        if source == "die":
            self.alive = False
            return CellResult(False, died="exited")
        if source in ("hang", "stall"):
            self.clock.now += seconds
            self.alive = source == "hang"
            return CellResult(False, timed_out=True, died=None if self.alive else "deadline")
        if source == "raise":
            return CellResult(False, CellError("ValueError", "no", 1, "Cell 0, line 1"))
        return CellResult(True, stdout=f"ran {source}", result="7")

    def call(self, name, args, kwargs, seconds):
        assert self.alive
        self.calls.append((name, seconds))
        if name == "die":
            self.alive = False
            raise ChildDied("exited")
        if name == "stall":
            self.clock.now += seconds
            self.alive = False
            raise CallTimeout("late")
        if name == "raise":
            raise StudentError("ValueError", "no")
        return name, args, kwargs

    def get(self, name, seconds):
        return self.call(name, (), {}, seconds)

    def close(self):
        self.alive, self.closed = False, self.closed + 1
        return Usage(1.0, 100.0, 20.0, "")


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(module.time, "monotonic", made.monotonic)
    return made


@pytest.fixture
def started(clock):
    def start(*sources, limits=LIMITS, kinds=()):
        kinds = dict(enumerate(kinds))
        cells = [SubmittedCell(kinds.get(i, "plain"), "", "code", source) for i, source in enumerate(sources)]
        process = StudentProcess(FakeJail(clock), Submission(tuple(cells)), limits)
        process.start()
        return process

    return start


def children(process):
    return process._jail.children


def ran(child):
    return [index for index, _seconds in child.cells]


def test_all_cells_run_in_order_and_their_prints_are_kept(started):
    process = started("a", "b")
    assert ran(children(process)[0]) == [0, 1]
    assert (process.outputs[0].stdout, process.outputs[1].stdout) == ("ran a", "ran b")
    assert process.outputs[1].result == "7"


def test_cells_that_do_not_run_are_left_out(clock):
    cells = (SubmittedCell("plain", "", "markdown", "# die", False), SubmittedCell("plain", "", "code", "a"))
    process = StudentProcess(FakeJail(clock), Submission(cells), LIMITS)
    process.start()
    assert ran(children(process)[0]) == [1]


def test_an_error_in_a_cell_does_not_stop_the_next_ones(started):
    process = started("raise", "b")
    assert ran(children(process)[0]) == [0, 1]
    shown = process.outputs[0]
    assert (shown.error_name, shown.error_message, shown.traceback) == ("ValueError", "no", "Cell 0, line 1")
    assert process.restarts == 0


def test_when_a_cell_kills_the_process_the_others_run_again_without_it(started):
    process = started("a", "die", "c")
    assert [ran(child) for child in children(process)] == [[0, 1], [0, 2]]
    assert children(process)[0].closed == 1
    assert process.restarts == 1
    assert process.outputs[1].error_message == "exited"
    assert process.outputs[2].stdout == "ran c"


def test_several_deadly_cells_cost_one_restart_each(started):
    process = started("die", "b", "die", "d")
    assert [ran(child) for child in children(process)] == [[0], [1, 2], [1, 3]]
    assert process.restarts == 2


def test_a_cell_gets_the_time_of_a_cell_and_a_visible_check_that_of_a_call(started):
    process = started("a", "b", kinds=["solution", "tests"])
    assert children(process)[0].cells == [(0, 20), (1, 5)]


def test_a_cell_that_hung_gets_little_time_when_it_runs_again(started):
    process = started("hang", "die", "c")
    first, second = children(process)
    assert first.cells[0] == (0, 20)
    assert second.cells == [(0, RERUN_SECONDS), (2, 20)]


def test_a_cell_that_had_to_be_killed_is_not_run_again(started):
    process = started("stall", "b")
    assert [ran(child) for child in children(process)] == [[0], [1]]


def test_no_cell_gets_more_time_than_the_submission_has_left(started):
    process = started("hang", "hang", "c", limits=RunLimits(cell_seconds=20, call_seconds=5, submission_seconds=30))
    assert children(process)[0].cells == [(0, 20), (1, 10)]
    assert process.outputs[2].error_name == "not run"
    assert "time for the whole submission" in process.outputs[2].error_message


def test_cells_that_die_again_and_again_end_with_the_time_of_the_submission(started):
    process = started(*["stall"] * 10, "z", limits=RunLimits(cell_seconds=20, submission_seconds=50))
    assert [child.cells[0][1] for child in children(process)] == [20, 20, 10]
    with pytest.raises(CallTimeout, match="time for the whole submission was used up"):
        call(process, "f", (), {})


def test_a_call_sends_its_inputs_with_the_time_of_a_call(started):
    process = started("a")
    assert call(process, "f", (1,), {"x": 2}) == ("f", (1,), {"x": 2})
    assert process.ask(lambda child, seconds: child.get("v", seconds)) == ("v", (), {})
    assert children(process)[0].calls == [("f", 5), ("v", 5)]


def test_an_exception_of_a_function_costs_no_restart(started):
    process = started("a")
    with pytest.raises(StudentError):
        call(process, "raise", (), {})
    call(process, "f", (), {})
    assert len(children(process)) == 1


@pytest.mark.parametrize(("name", "failure"), [("die", ChildDied), ("stall", CallTimeout)])
def test_after_a_deadly_call_the_next_one_meets_a_new_process_with_all_cells_run(started, name, failure):
    process = started("a", "b")
    with pytest.raises(failure):
        call(process, name, (), {})
    assert call(process, "f", (), {}) == ("f", (), {})
    assert [ran(child) for child in children(process)] == [[0, 1], [0, 1]]
    assert process.restarts == 1
    assert children(process)[0].closed == 1


def test_no_call_gets_more_time_than_the_submission_has_left_and_none_is_made_after_it(started):
    process = started("a", limits=RunLimits(call_seconds=5, submission_seconds=7))
    for seconds in (5, 2):
        with pytest.raises(CallTimeout, match="late"):
            call(process, "stall", (), {})
        assert children(process)[-1].calls == [("stall", seconds)]
    with pytest.raises(CallTimeout, match="time for the whole submission was used up"):
        call(process, "f", (), {})
    assert all(name == "stall" for child in children(process) for name, _seconds in child.calls)


def test_a_jail_without_children_is_not_the_students_failure(clock):
    class Broken:
        def spawn(self):
            raise JailUnavailable("none")

    process = StudentProcess(Broken(), Submission((SubmittedCell("plain", "", "code", "a"),)), LIMITS)
    with pytest.raises(JailUnavailable):
        process.start()


def test_closing_ends_the_child_once_and_keeps_what_it_used(started):
    process = started("a")
    process.close()
    process.close()
    assert children(process)[0].closed == 1
    assert process.memory_mb == 20.0
