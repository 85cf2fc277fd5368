"""Writes files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file under a temporary name beside it, then rename it into place.

    Args:
        path: the file; its folder is created when missing.
        content: text (written as UTF-8 with `\\n`) or bytes.

    Raises:
        OSError: the folder is not writable or the disk is full; the old file is untouched then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
