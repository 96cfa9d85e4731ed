# SPDX-License-Identifier: Apache-2.0
"""TensorBoard: `MemoryLog(writer)`, or `MemoryLog("runs/mine")` with a folder."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Tuple, Union

from torch.utils.tensorboard import SummaryWriter

from .. import memory_log


class MemoryLog(memory_log.MemoryLog):
    """Logs the memory of each step to a SummaryWriter. For a folder it creates its own writer."""

    def __init__(self, to: Any, run: Optional["Union[str, os.PathLike[str]]"] = None, *, live: bool = True) -> None:
        super().__init__(run, live=live)
        self._is_own = isinstance(to, (str, os.PathLike))
        self._to = SummaryWriter(os.fspath(to)) if self._is_own else to

    def write(self, steps: List[Tuple[int, memory_log.Metrics]]) -> None:
        for index, metrics in steps:
            for name, value in metrics.items():
                self._to.add_scalar(name, value, index)

    def close(self) -> None:
        super().close()
        self._to.flush()
        if self._is_own:
            self._to.close()
