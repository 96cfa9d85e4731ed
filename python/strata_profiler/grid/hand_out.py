# SPDX-License-Identifier: Apache-2.0
"""Hands cells out, reports each that ends, and cancels all of them on Ctrl-C or SIGTERM."""

from __future__ import annotations

import dataclasses
import signal
import time
from types import FrameType
from typing import Iterable, List, Optional, Protocol, Set, Tuple

from .folder import Cell, Refused, say

_POLL_SECONDS = 0.3
# A cell that is asked to end is killed after ten seconds.
_PATIENCE_SECONDS = 30


class Scheduler(Protocol):
    """Runs cells as jobs of its own, until it is closed."""

    at_once: Optional[int]  # so many may be begun and not ended; None: the scheduler has a queue

    def begin(self, cells: List[Cell]) -> None:
        """Submits a job for each. Raises Refused if that is impossible."""

    def ended(self) -> Iterable[Tuple[str, str]]:
        """The ids of the cells whose jobs have ended since the last call, each with what its job said."""

    def cancel(self, force: bool) -> None:
        """Asks all jobs to end; `force`: kills them."""

    def close(self) -> None: ...


class Interruption:
    """The first of SIGINT and SIGTERM, and how often one came."""

    def __init__(self) -> None:
        self.signal: Optional[int] = None
        self.times = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: Optional[FrameType]) -> None:
        self.signal = self.signal or number
        self.times += 1


@dataclasses.dataclass
class _Progress:
    all: int
    ended: int = 0

    def tell(self, ended: Iterable[Tuple[str, str]]) -> List[str]:
        ids = []
        for id, text in ended:
            ids.append(id)
            self.ended += 1
            lines = text.strip().splitlines() or [f"{id}: its job printed nothing"]
            say(f"[{self.ended}/{self.all}] {lines[-1].removeprefix('strata: ')}")
        return ids


def hand_out(cells: List[Cell], scheduler: Scheduler, interruption: Interruption) -> None:
    """Returns once every job has ended, or was cancelled because of an interruption."""
    progress = _Progress(len(cells))
    waiting = list(cells)
    running: Set[str] = set()
    while waiting or running:
        if interruption.signal:
            return _cancel(running, scheduler, interruption)
        room = len(waiting) if scheduler.at_once is None else scheduler.at_once - len(running)
        if waiting and room > 0:
            begun, waiting = waiting[:room], waiting[room:]
            try:
                scheduler.begin(begun)
            except Refused:
                _cancel(running, scheduler, interruption)
                raise
            running.update(cell.id for cell in begun)
        running.difference_update(progress.tell(scheduler.ended()))
        time.sleep(_POLL_SECONDS if running else 0)


def _cancel(running: Set[str], scheduler: Scheduler, interruption: Interruption) -> None:
    if not running:
        return
    say(f"cancelling {len(running)} job{'' if len(running) == 1 else 's'}")
    times = interruption.times
    scheduler.cancel(force=False)
    end = time.monotonic() + _PATIENCE_SECONDS
    while running and time.monotonic() < end and interruption.times == times:
        running.difference_update(id for id, _ in scheduler.ended())
        time.sleep(_POLL_SECONDS)
    if running:
        scheduler.cancel(force=True)
