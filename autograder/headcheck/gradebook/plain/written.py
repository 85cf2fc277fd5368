"""Brings home the files that a notebook wrote to its working folder, as nbgrader keeps them beside the graded copy."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path, PurePosixPath

import torch

from headcheck.jail.client import Child
from headcheck.jail.errors import StudentFailure

SECONDS = 5.0
MAX_FILES = 50
MAX_MB = 16
RESERVED = ("timestamp.txt", "submission_secret.txt")
"""What nbgrader itself reads beside a notebook."""
NAME = re.compile(r"[\w][\w .-]{0,99}")

COLLECT = f"""
def __headcheck_written(found, size):
    import os, torch
    device = os.stat(".").st_dev
    for folder, folders, names in os.walk("."):
        folders[:] = [
            name
            for name in folders
            if not name.startswith((".", "__")) and os.stat(os.path.join(folder, name)).st_dev == device
        ]  # Python itself may be shown below the working folder
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name))
            if os.path.islink(path) or not os.access(path, os.W_OK) or path.endswith(".ipynb"):
                continue
            size += os.path.getsize(path)
            if len(found) >= {MAX_FILES} or size > {MAX_MB << 20}:
                return found
            with open(path, "rb") as file:
                data = bytearray(file.read())
            found[path] = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
    return found
"""


def collect_written(child: Child) -> dict[str, bytes]:
    """Fetch the files that a notebook has written to its folder so far; hostile bytes under hostile names.

    Args:
        child: the notebook's process, alive.

    Returns:
        Path relative to the folder -> content; nothing when the process does not give them.
    """
    if not child.run_cell(0, COLLECT, SECONDS).ok:
        return {}
    try:
        found = child.call("__headcheck_written", ({}, 0), {}, SECONDS)
    except StudentFailure:
        return {}
    files = found.items() if isinstance(found, dict) else ()
    return {path: data.numpy().tobytes() for path, data in list(files)[:MAX_FILES] if _is_file(path, data)}


def _is_file(path: object, data: object) -> bool:
    return (
        isinstance(path, str)
        and all(NAME.fullmatch(part) and not part.endswith(".") for part in path.split("/"))
        and not path.endswith((".ipynb", *RESERVED))
        and path.count("/") < 5
        and isinstance(data, torch.Tensor)
        and data.dtype == torch.uint8
        and data.ndim == 1
    )


def put_written(files: dict[str, bytes], folder: Path) -> None:
    """Write such files beside the graded notebook; what is there already stays as it is.

    Args:
        files: from `collect_written`.
        folder: the folder of the graded notebook; nothing in it is a link.
    """
    for name, data in files.items():
        path = folder / PurePosixPath(name)
        with contextlib.suppress(OSError):  # the name is taken, by a file or a folder
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
