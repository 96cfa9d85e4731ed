# SPDX-License-Identifier: Apache-2.0
"""What is tried of a program of the user's own. Of one group, what comes first is the least of it."""

from __future__ import annotations

from typing import List

from . import allocator, backwards, batch, checkpoints, distributed, graphs, layers, optimizers, precision
from .change import Change


def all_changes() -> List[Change]:
    kinds = (graphs, backwards, optimizers, distributed, layers, batch, allocator, precision)
    return [*map(checkpoints.Checkpoints, (1, 2, 4)), *(change for kind in kinds for change in kind.changes())]
