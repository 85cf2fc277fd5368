"""Objects can stay in the child and be called there; gradients and steps of a call come back as checked values."""

import pytest
import torch
from headcheck.jail import answers, wire
from headcheck.jail.client import Child, Jail
from headcheck.jail.errors import (
    CallTimeout,
    ChildDied,
    NotDefined,
    ProtocolViolation,
    RemoteLost,
    StudentError,
    Unsendable,
)

MODULE = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        if d % h: raise ValueError("d_model must be divisible by h")
        self.W_q = nn.Linear(d, d)
        self.unused = nn.Linear(1, 1)
        self.drop = nn.Dropout(0.5)
        self.parts = nn.ModuleList([nn.Linear(d, 2)])
    def forward(self, q, scale=1.0, pad=None):
        x = self.W_q(q) * scale
        weights = torch.softmax(x, dim=-1)
        return self.drop(weights), weights
    def twice(self, x):
        return 2 * x
def apply(net, x):
    return net(x)[0]
def square(x):
    return x ** 2
"""


@pytest.fixture
def net(child: Child):
    assert child.run_cell(5, MODULE, 10).ok
    return child.call("Net", (4, 2), {}, 5, keep=True)


def test_a_kept_object_can_be_called_and_asked(child: Child, net):
    assert net.type_name == "Net"
    child.call(net, (), {}, 5, method="eval", discard=True)
    x = torch.randn(3, 4)
    out, weights = child.call(net, (x,), {"scale": 2.0}, 5)
    weight, bias = child.attribute(net, "W_q.weight", 5), child.attribute(net, "W_q.bias", 5)
    assert torch.allclose(weights, torch.softmax(2 * (x @ weight.T + bias), -1), atol=1e-6)
    assert torch.equal(out, weights)
    assert child.call(net, (3,), {}, 5, method="twice") == 6
    assert child.call(net, (), {}, 5, method="parts.0.extra_repr").startswith("in_features=4")


def test_weights_that_were_sent_are_the_ones_used(child: Child, net):
    state = {name: torch.randn_like(value) for name, value in child.state(net, 5).items()}
    child.call(net, (state,), {}, 5, method="load_state_dict", discard=True)
    assert torch.equal(child.state(net, 5)["W_q.weight"], state["W_q.weight"])


def test_a_kept_object_can_be_an_argument(child: Child, net):
    child.call(net, (), {}, 5, method="eval", discard=True)
    x = torch.randn(2, 4)
    assert torch.equal(child.call("apply", (net, x), {}, 5), child.call(net, (x,), {}, 5)[0])
    nested = child.call(net, (), {}, 5, method="W_q.state_dict", keep=True)
    assert nested.type_name == "OrderedDict"


def test_what_is_wrong_with_an_object_is_told_as_for_a_function(child: Child, net):
    with pytest.raises(StudentError, match="divisible"):
        child.call("Net", (5, 2), {}, 5, keep=True)
    with pytest.raises(NotDefined, match=r"Net\.nosuch"):
        child.call(net, (), {}, 5, method="nosuch")
    with pytest.raises(NotDefined):
        child.attribute(net, "W_k.weight", 5)
    with pytest.raises(Unsendable, match="Linear"):
        child.attribute(net, "W_q", 5)
    with pytest.raises(Unsendable):
        child.call(net, (), {}, 5, method="eval")


def test_an_object_dies_with_its_child(jail: Jail, child: Child, net):
    with jail.spawn() as other, pytest.raises(RemoteLost):
        other.call(net, (torch.zeros(1, 4),), {}, 5)
    child.run_cell(6, "import os; os._exit(0)", 5)
    with pytest.raises(RemoteLost, match="lost"):
        child.call(net, (torch.zeros(1, 4),), {}, 5)
    with pytest.raises(ChildDied):
        child.call("square", (net,), {}, 5)


def test_gradients_are_those_of_autograd(child: Child, net):
    child.call(net, (), {}, 5, method="eval", discard=True)
    x, cotangent = torch.randn(3, 4), torch.randn(3, 4)
    got = child.gradients(net, (x,), {"scale": 1.0}, cotangent, 5)
    mine = torch.nn.Linear(4, 4)
    mine.load_state_dict({"weight": child.attribute(net, "W_q.weight", 5), "bias": child.attribute(net, "W_q.bias", 5)})
    x.requires_grad_()
    expected = torch.autograd.grad(torch.softmax(mine(x), -1), [mine.weight, x], cotangent)
    assert torch.allclose(got.parameters["W_q.weight"], expected[0], atol=1e-6)
    assert torch.allclose(got.inputs[0], expected[1], atol=1e-6)
    assert got.parameters["unused.weight"] is None
    assert set(got.inputs) == {0}
    assert torch.equal(child.gradients("square", (), {"x": x}, torch.ones(3, 4), 5).inputs["x"], 2 * x)


def test_an_output_without_history_is_an_error_of_the_student(child: Child):
    child.run_cell(0, "def f(x): return x.detach()", 5)
    with pytest.raises(StudentError, match="RuntimeError"):
        child.gradients("f", (torch.ones(2),), {}, torch.ones(2), 5)


def test_a_seed_makes_random_numbers_repeatable(child: Child):
    child.run_cell(0, "import torch, random\ndef f(): return torch.rand(3), random.random()", 5)
    draws = []
    for _ in range(2):
        child.seed(7, 5)
        draws.append(child.call("f", (), {}, 5))
    assert torch.equal(draws[0][0], draws[1][0])
    assert draws[0][1] == draws[1][1]


def test_the_steps_of_a_call_come_with_their_lines_and_values(child: Child, net):
    child.call(net, (), {}, 5, method="eval", discard=True)
    x = torch.randn(3, 4)
    traced = child.trace(net, (x,), {}, 5)
    assert traced.error is None
    by_name = {step.function: step for step in traced.steps}
    assert [(by_name[name].cell, by_name[name].line) for name in ("linear", "softmax")] == [(5, 13), (5, 14)]
    assert torch.equal(by_name["softmax"].outputs[0], traced.value[1])


def test_the_steps_of_a_call_that_raises_come_too(child: Child):
    child.run_cell(2, "import torch\ndef f(x):\n    y = x.T\n    return y @ torch.ones(7)", 5)
    traced = child.trace("f", (torch.ones(2, 3),), {}, 5)
    assert isinstance(traced.error, StudentError)
    assert [(step.function, step.line) for step in traced.steps] == [("T", 3), ("ones", 4)]
    assert traced.steps[0].outputs[0].shape == (3, 2)


def test_steps_are_bounded(child: Child):
    code = (
        "import torch\ndef f(x):\n    for _ in range(500): x = x + 1\n    return x\ndef g(): return torch.ones(1 << 19)"
    )
    child.run_cell(0, code, 5)
    assert len(child.trace("f", (torch.ones(1),), {}, 5).steps) == 64
    assert child.trace("g", (), {}, 5).steps[0].outputs == ()
    with pytest.raises(NotDefined):
        child.trace("nosuch", (), {}, 5)


def test_steps_until_a_deadline_do_not_replace_the_deadline(child: Child):
    child.run_cell(0, "def f(x):\n    while True: x = x + 1", 5)
    with pytest.raises(CallTimeout):
        child.trace("f", (torch.ones(1),), {}, 0.6)
    assert child.alive


STEP = ["t", "softmax", 0, 1, ["t"]]


@pytest.mark.parametrize(
    "header",
    [
        {"value": 1, "steps": 1},
        {"value": 1, "steps": ["l", *[STEP] * 65]},
        {"value": 1, "steps": ["l", ["t", "f", 0, 1]]},
        {"value": 1, "steps": ["l", ["t", 1, 0, 1, ["t"]]]},
        {"value": 1, "steps": ["l", ["t", "f", -1, 1, ["t"]]]},
        {"value": 1, "steps": ["l", ["t", "f", True, 1, ["t"]]]},
        {"value": 1, "steps": ["l", ["t", "f", 0, 1, ["t", 5]]]},
        {"value": 1, "steps": ["l", ["t", "f", 0, 1, ["l"]]]},
        {"value": 1, "steps": ["R", 1]},
        {"value": 1, "more": 2, "steps": ["l"]},
        {"kept": 7, "steps": ["l"]},
    ],
)
def test_forged_steps_are_violations(header):
    with pytest.raises(ProtocolViolation):
        answers.parse(header, b"", traced=True)


def test_steps_that_nobody_asked_for_are_a_violation():
    assert answers.parse({"value": 1, "steps": ["l", STEP]}, b"", traced=True).steps[0].function == "softmax"
    with pytest.raises(ProtocolViolation):
        answers.parse({"value": 1, "steps": ["l", STEP]}, b"")


def test_steps_larger_than_agreed_are_a_violation():
    big = [["t", "f", 0, 1, ["t", ["T", "uint8", [5 << 20]]]]]
    with pytest.raises(ProtocolViolation, match="too large"):
        answers.parse({"value": 1, "steps": ["l", *big]}, bytes(5 << 20), traced=True)


def test_an_object_of_the_child_is_no_value_here():
    with pytest.raises(ProtocolViolation):
        wire.decode(["R", 1], b"")
