# SPDX-License-Identifier: Apache-2.0
"""Ends the program after some optimizer steps: the first creates the optimizer's state, and each later step needs the same memory."""

from __future__ import annotations

import os
import sys
import weakref
from typing import Any, Callable, List

from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

# For an optimizer that never steps, such as an unused one: how many further steps of another one to wait for.
PATIENCE = 16

at_end: List[Callable[[], None]] = []


class StepCount:
    """The steps of each optimizer. All those created before the first step of any are waited for."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.taken: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def made(self, optimizer: Any) -> None:
        self.taken.setdefault(optimizer, 0)

    def stepped(self, optimizer: Any) -> bool:
        """Whether enough steps have been made."""
        self.taken[optimizer] = self.taken.get(optimizer, 0) + 1
        counts = list(self.taken.values())
        return min(counts) >= self.steps or max(counts) >= PATIENCE * self.steps


def stop_after(steps: int) -> None:
    count = StepCount(steps)
    make: Any = Optimizer.__init__

    def made(self: Any, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        count.made(self)

    def stepped(optimizer: Any, arguments: Any, options: Any) -> None:
        if count.stepped(optimizer):
            _end()

    Optimizer.__init__ = made  # type: ignore[method-assign]
    register_optimizer_step_post_hook(stepped)


def _end() -> None:
    """Exits at once: what a program does at its end, such as saving or evaluating, is not tried."""
    for each in at_end:
        each()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
