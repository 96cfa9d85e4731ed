# SPDX-License-Identifier: Apache-2.0
"""The memory of each step of a run for metric loggers: numbers by name, read from the run while it is running and after it has ended."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import IO, Any, Dict, List, Optional, Tuple, Union

from . import native, session

Metrics = Dict[str, float]
_MIB = 1 << 20
# Each look analyses the run from its begin, so looks become rarer as the run grows: they take at most a twentieth of one core.
_LEAST_PAUSE_S = 30.0
_PAUSES_PER_LOOK = 20
# Rows reach the store up to 0.2 s after they were recorded; later on a busy machine.
_ROWS_COME_S = 0.5
_ROWS_COME_AT_MOST_S = 10.0
# A step is logged once this many later ones have begun: most of its memory is freed by then, and so has its final label.
_STEPS_BEHIND = 2


class MemoryLog:
    """Logs each step of a run once: its peaks and its categories, in MiB. Subclasses implement `write`.

    run: a run's folder; by default the run that records this process. If nothing is being recorded, nothing is logged.
    live: log steps while the run is running, with a delay of 30 seconds or more; otherwise all of them in `close`.
    """

    def __init__(self, run: Optional["Union[str, os.PathLike[str]]"] = None, *, live: bool = True) -> None:
        self._run = pathlib.Path(run) if run is not None else session.directory()
        self._goes_on = run is None
        rank = os.environ.get("RANK") if self._goes_on else None
        self._options = [] if rank is None else ["--rank", rank]
        self._live = live and self._goes_on
        self._logged = -1
        self._updates = 0
        self._look: Optional[_Look] = None
        self._next_look_at = time.monotonic() + _LEAST_PAUSE_S

    def __enter__(self) -> "MemoryLog":
        return self

    def __exit__(self, *failure: Any) -> None:
        self.close()

    def write(self, steps: List[Tuple[int, Metrics]]) -> None:
        """Logs these steps, by their numbers, which increase from call to call."""
        raise NotImplementedError

    def update(self) -> None:
        """Call it after each `strata.step()`. It never waits."""
        self._updates += 1
        if self._run is None or not self._live:
            return
        if self._look is None:
            if time.monotonic() >= self._next_look_at:
                self._look = _Look(self._run, self._options)
        elif self._look.is_done():
            self._take(self._look, _STEPS_BEHIND)
            self._look = None

    def close(self) -> None:
        """Logs the remaining steps: call it after the last one, and before the logger itself is closed. It waits for the run's rows."""
        if self._run is None:
            return
        if self._look is not None:
            self._look.result()
            self._look = None
        give_up_at = time.monotonic() + _ROWS_COME_AT_MOST_S
        while True:
            if self._goes_on:
                time.sleep(_ROWS_COME_S)
            look = _Look(self._run, self._options)
            steps = look.result()
            if not self._goes_on or steps is None or len(steps) >= self._updates or time.monotonic() > give_up_at:
                break
        self._take(look, 0)
        self._run = None

    def _take(self, look: "_Look", steps_behind: int) -> None:
        steps = look.result()
        if steps is None:
            self._run = None
            return
        self._next_look_at = time.monotonic() + max(_LEAST_PAUSE_S, _PAUSES_PER_LOOK * look.seconds)
        fresh = [step for step in steps[: len(steps) - steps_behind] if step["index"] > self._logged]
        if fresh:
            self.write([(step["index"], _metrics(step)) for step in fresh])
            self._logged = fresh[-1]["index"]


class _Look:
    """One analysis of the run, in a separate process."""

    def __init__(self, run: pathlib.Path, options: List[str]) -> None:
        self._output: IO[bytes] = tempfile.TemporaryFile()
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._began = time.monotonic()
        words = ["report", str(run), "--steps", "--json", *options]
        self._process = native.start_program(*words, stdout=self._output, stderr=self._errors)
        self._steps: Optional[List[Dict[str, Any]]] = None
        self._is_read = False
        self.seconds = 0.0

    def is_done(self) -> bool:
        return self._process.poll() is not None

    def result(self) -> Optional[List[Dict[str, Any]]]:
        """The run's steps; None, with a message, if the run cannot be read."""
        if not self._is_read:
            self._is_read = True
            code = self._process.wait()
            self.seconds = time.monotonic() - self._began
            with self._output, self._errors:
                self._output.seek(0)
                self._errors.seek(0)
                if code == 0:
                    self._steps = json.loads(self._output.read())["steps"]
                else:
                    said = self._errors.read().decode("utf-8", "replace").strip()
                    sys.stderr.write(f"strata: memory is no longer logged: {said}\n")
        return self._steps


def _metrics(step: Dict[str, Any]) -> Metrics:
    """A step whose detail was removed to make room (store.max_mb) no longer has categories."""
    sizes = {"peak": step["peak_allocated_bytes"], "reserved": step["peak_reserved_bytes"], **(step["peak_categories"] or {})}
    return {f"strata/{name}_mib": size / _MIB for name, size in sizes.items() if size is not None}
