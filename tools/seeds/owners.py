# SPDX-License-Identifier: Apache-2.0
"""The requested sizes of a run's registered tensors, without the allocator's rounding, which blocks
include."""

import contextlib
import sqlite3

STATE, PROJECTOR = 5, 6  # STRATA_TENSOR_*


def asked_for(cell, *roles):
    """Return the bytes of the storages with these roles, each counted once."""
    (store,) = (cell.folder / "rank0").glob("*.sqlite")
    marks = ", ".join("?" * len(roles))
    statement = f"SELECT DISTINCT address, storage_bytes FROM tensor WHERE role IN ({marks})"
    with contextlib.closing(sqlite3.connect(store)) as database:
        return sum(size for _, size in database.execute(statement, roles))
