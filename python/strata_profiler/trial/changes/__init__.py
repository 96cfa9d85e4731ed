# SPDX-License-Identifier: Apache-2.0
"""The changes to try on a user's program. In each group the mildest one comes first."""

from __future__ import annotations

from typing import List

from . import allocator, backwards, batch, checkpoints, distributed, graphs, layers, optimizers, precision
from .change import Change


def all_changes() -> List[Change]:
    kinds = (graphs, backwards, optimizers, distributed, layers, batch, allocator, precision)
    return [*map(checkpoints.Checkpoints, (1, 2, 4)), *(change for kind in kinds for change in kind.changes())]
