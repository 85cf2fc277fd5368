"""Imported once, by the process that the workers of a class run are forked from; it must stay single-threaded."""

from __future__ import annotations

import os

from headcheck.imports import lasting, leave_out_string_formats

for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"  # before torch: a fork of a process with torch's threads hangs
leave_out_string_formats()

with lasting():
    import torch

    import headcheck.grading.grade  # noqa: F401

torch.set_num_threads(1)
