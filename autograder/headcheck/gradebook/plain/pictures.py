"""Fetches the figures that a cell drew with matplotlib, for cells that a person grades by looking at them."""

from __future__ import annotations

import struct

import torch

from headcheck.jail.client import Child
from headcheck.jail.errors import StudentFailure

SECONDS = 10.0
MAX_PICTURES = 10
MAX_BYTES = 2 << 20
MAX_PIXELS = 25_000_000
PNG = b"\x89PNG\r\n\x1a\n"

DEFINE = f"""
def __headcheck_figures():
    import io, sys, torch
    plt, found = sys.modules.get("matplotlib.pyplot"), []
    for number in plt.get_fignums()[:{MAX_PICTURES}] if plt else []:
        file = io.BytesIO()
        plt.figure(number).savefig(file, format="png", bbox_inches="tight")
        found.append(torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8))
    if plt:
        plt.close("all")
    return found
"""
"""As in Jupyter, figures are shown below the cell that drew them, and closed."""


def draws(source: str) -> bool:
    """Whether a cell speaks of matplotlib; before one does, there is nothing to fetch."""
    return "matplotlib" in source or "pyplot" in source


def fetch_pictures(child: Child) -> tuple[bytes, ...]:
    """Fetch the open figures of a notebook's process and close them; hostile bytes.

    Args:
        child: the process, alive.

    Returns:
        PNG files of a bounded size; none when the process does not give them.
    """
    if not child.run_cell(0, DEFINE, SECONDS).ok:
        return ()
    try:
        found = child.call("__headcheck_figures", (), {}, SECONDS)
    except StudentFailure:
        return ()
    pictures = found if isinstance(found, list) else []
    return tuple(png for item in pictures[:MAX_PICTURES] if (png := _png(item)))


def _png(item: object) -> bytes:
    """Return the bytes of what looks like a PNG that a browser can be given, else nothing."""
    if not isinstance(item, torch.Tensor) or item.dtype != torch.uint8 or item.ndim != 1 or item.numel() > MAX_BYTES:
        return b""
    data = item.numpy().tobytes()
    if not data.startswith(PNG) or len(data) < 33:
        return b""
    width, height = struct.unpack(">II", data[16:24])
    return data if 0 < width * height <= MAX_PIXELS else b""
