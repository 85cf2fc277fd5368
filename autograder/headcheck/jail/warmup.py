"""What the zygote does before it forks: import and use once what notebooks use, so that their children need not."""

import importlib
import linecache
import os
import shutil
from collections.abc import Sequence

import torch
from torch import nn, optim, zeros

from headcheck.jail import faults, kept, shims, wire
from headcheck.jail.deferred import defer
from headcheck.jail.shell import JailShell, build_shell

# A first use costs each child some ms: symbols are looked up, caches filled, code is prepared to run fast.
_REHEARSAL = """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.W = nn.Linear(d_model, 3 * d_model)

    def forward(self, x, pad=None):
        B, n, d_model = x.shape
        parts = torch.cat([self.W(x)], dim=-1).chunk(3, dim=-1)
        Q, K, V = (part.contiguous().view(B, n, self.h, self.d_k).transpose(1, 2) for part in parts)
        scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) / math.sqrt(self.d_k)
        if pad is not None:
            scores = scores.masked_fill(pad[:, None, None, :], float("-inf"))
        weights = F.softmax(scores, dim=-1)
        return (weights @ V).permute(0, 2, 1, 3).reshape(B, n, d_model), weights.mean(dim=1)


x = torch.randn(2, 3, 4)
pad = torch.arange(3)[None, :] >= torch.tensor([3, 2])[:, None]
layer, again = Layer(4, 2), nn.MultiheadAttention(4, 2, batch_first=True)
layer.load_state_dict(layer.state_dict())
again.load_state_dict({name: value.clone() for name, value in again.state_dict().items()})
again(x, x, x, key_padding_mask=pad, average_attn_weights=False)
out, weights = layer(x, pad)
(out.sum() + again(x, x, x)[0].sum()).backward()
assert torch.allclose(weights.sum(-1), torch.ones(2, 3)) and out.shape == (2, 3, 4), f"{out.tolist()}"
torch.stack([x.unbind(1)[0], torch.zeros(2, 4)]) + torch.eye(4)[:2] @ torch.triu(torch.ones(4, 4))
"""
_FAILURE = "zip(1)\n1"


def warm_up(likely: Sequence[str]) -> JailShell:
    """Do all that on one thread.

    Args:
        likely: what children will do, see `headcheck.jail.launcher.LIKELY`.

    Returns:
        The shell that they inherit; it has seen nothing.
    """
    torch.set_num_threads(1)  # before any operation, or children hang in OpenMP
    torch.set_num_interop_threads(1)
    _exercise_torch()
    if "training" in likely:
        _exercise_optimizer()
    if "drawing" in likely:
        _import_matplotlib()
    elif defer("matplotlib"):
        defer("matplotlib.pyplot")
    shims.install()
    importlib.import_module("headcheck.jail.supervisor")  # now, not in every fork
    shell = build_shell()
    for module in ("logger", "magics.execution", "magics.pylab"):
        importlib.import_module(f"IPython.core.{module}")
    _rehearse(shell)
    torch.manual_seed(torch.initial_seed())  # as if nothing had been drawn yet
    return shell


def _exercise_torch() -> None:
    """Use what takes longest at its first use; the check of a mask imports sympy."""
    nn.MultiheadAttention(4, 2)(*[zeros(1, 1, 4)] * 3, key_padding_mask=zeros(1, 1) > 0)
    nn.LSTM(2, 2)(zeros(1, 1, 2))
    nn.functional.scaled_dot_product_attention(zeros(1, 1, 2), zeros(1, 1, 2), zeros(1, 1, 2))
    repr(zeros(2) + 0.5)
    zeros(1).numpy()


def _exercise_optimizer() -> None:
    """Make a step: the first optimizer imports torch's compiler, which takes as long as torch itself."""
    layer = nn.Linear(2, 2)
    optimizer = optim.AdamW(layer.parameters())
    layer(zeros(1, 2)).sum().backward()
    optimizer.step()


def _import_matplotlib() -> None:
    """Import it with the backends that notebooks use (0.4 s here saves as much in every child)."""
    try:
        import matplotlib.pyplot
        import matplotlib_inline.backend_inline  # noqa: F401
    except ImportError:
        return
    matplotlib.pyplot.figure()
    matplotlib.pyplot.close("all")
    folder = matplotlib.get_configdir()
    if os.path.basename(folder).startswith("matplotlib-"):  # a temporary one, since there is no writable home
        shutil.rmtree(folder, ignore_errors=True)


def _rehearse(shell: JailShell) -> None:
    """Run cells as a child would, one that fails too, and send values; the shell forgets all of it."""
    before = set(shell.user_ns)
    shell.run_cell(_REHEARSAL, silent=True)
    failed = shell.run_cell(_FAILURE, silent=True)
    if failed.error_in_exec is not None:
        faults.describe(failed.error_in_exec)
    tree, buffers = wire.encode(((shell.user_ns["x"], 1, "a"), {"state": shell.user_ns["layer"].state_dict()}))
    wire.decode(tree, b"".join(buffers), {})
    kept.send((shell.user_ns["out"], shell.user_ns["weights"]))
    shell.display_formatter.format(0.5)
    for name in set(shell.user_ns) - before:
        del shell.user_ns[name]
    shell.run_cell("0", silent=True)
    linecache.cache.pop(faults.cell_filename(0, ""), None)
