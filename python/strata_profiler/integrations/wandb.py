# SPDX-License-Identifier: Apache-2.0
"""Weights & Biases: `MemoryLog()` after `wandb.init()`."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Tuple, Union

import wandb

from .. import memory_log


class MemoryLog(memory_log.MemoryLog):
    """Logs the memory of each step to `to`, by default `wandb.run`, with `strata/step` as its own axis.

    Each step is a row, and W&B counts its rows: a later `wandb.log(..., step=n)` with a smaller count is dropped. So nothing is logged before
    `close`, unless `live=True` states that the program does not use `step=`.
    """

    def __init__(self, run: Optional["Union[str, os.PathLike[str]]"] = None, *, to: Any = None, live: bool = False) -> None:
        super().__init__(run, live=live)
        self._to = to if to is not None else wandb.run
        if self._to is None:
            raise RuntimeError("strata: no W&B run to log to: call wandb.init() first")
        self._to.define_metric("strata/step")
        self._to.define_metric("strata/*", step_metric="strata/step")

    def write(self, steps: List[Tuple[int, memory_log.Metrics]]) -> None:
        for index, metrics in steps:
            self._to.log({"strata/step": index, **metrics})
