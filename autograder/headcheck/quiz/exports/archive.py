"""Zip files whose bytes depend on their content alone."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Put files into a zip file without the time of day.

    Args:
        files: name -> content, in the order of the archive.

    Returns:
        The archive.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            archive.writestr(entry, content)
    return buffer.getvalue()
