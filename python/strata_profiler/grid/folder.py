# SPDX-License-Identifier: Apache-2.0
"""A grid's folder, as far as handing out its cells needs it. `strata grid` does what it can do itself: plan, select, settle, show."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import time
from typing import IO, Any, Dict, Iterator, List, Sequence

from .. import native

FAILED, BAD_USAGE = 1, 2


class Refused(Exception):
    """Nothing was started. The text says why, and what to do; it is empty if `strata` has said so already."""

    def __init__(self, text: str, exit_code: int = BAD_USAGE) -> None:
        super().__init__(text)
        self.exit_code = exit_code


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell to hand out."""

    id: str
    words: List[str]  # the command that runs it on any machine that shares the folder
    cores: int  # 0: all of the machine
    gpus: int


def say(text: str) -> None:
    print(f"strata: {text}", file=sys.stderr, flush=True)


def last_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[-1]


def plan_grid(file: str, folder: str, overrides: Sequence[str]) -> None:
    """Plans the cells of a grid's YAML into the folder, like `strata grid run`. Raises Refused."""
    done = _strata("run", file, *overrides, "--engine", "manifest", "--out", folder)
    # The last line says how many cells are to run, as `cells_left` will.
    sys.stderr.writelines(done.stderr.splitlines(keepends=True)[:-1])


class GridFolder:
    def __init__(self, path: pathlib.Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Only one process at a time hands out the folder's cells, and no `strata grid` runs them itself meanwhile. Raises Refused."""
        jobs = self.path / "jobs"
        jobs.mkdir(exist_ok=True)
        with open(jobs / "grid.lock", "a+") as ours, open(self.path / "grid.lock", "a+") as everyones:
            if not _lock(ours, fcntl.LOCK_EX):
                ours.seek(0)
                raise Refused(f"the cells of {self.path} are being run by {ours.read() or 'another process'}; wait for it, or end it with Ctrl-C")
            ours.truncate(0)
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            ours.write(f"process {os.getpid()} on host {socket.gethostname()} since {now}")
            ours.flush()
            # `strata grid cell` shares it, too; a grid that runs its cells itself does not.
            if not _lock(everyones, fcntl.LOCK_SH):
                everyones.seek(0)
                raise Refused(f"{self.path} is being written by {everyones.read() or 'another process'}; wait for it")
            yield

    def plan(self) -> Dict[str, Any]:
        return dict(json.loads((self.path / "plan.json").read_text()))

    def cells_left(self, keep: str) -> List[Cell]:
        """The cells without a result, except those with a status in `keep`. Raises Refused."""
        words = ["--keep", keep] if keep else []
        resumed = _strata("resume", str(self.path), "--engine", "manifest", *words)
        sys.stderr.write(resumed.stderr)
        needs = {cell["id"]: cell for cell in self.plan()["cells"]}
        cells = []
        for command in map(shlex.split, resumed.stdout.splitlines()):
            need = needs[command[-1]]
            cells.append(Cell(command[-1], command, need["cores"], need["gpus"]))
        return cells

    def has_all_results(self) -> bool:
        counts = json.loads(_strata("status", str(self.path), "--json").stdout)["counts"]
        return not any(counts.get(status) for status in ("planned", "running", "failed", "timeout", "lost"))

    def show(self, as_json: bool) -> None:
        print(_strata("status", str(self.path), *(["--json"] if as_json else [])).stdout, end="", flush=True)


def _lock(file: IO[str], kind: int) -> bool:
    for _ in range(5):  # who asks for the holder takes the lock for a moment
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(0.1)
    return False


def _strata(*words: str) -> "subprocess.CompletedProcess[str]":
    done = native.run_program("grid", *words)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise Refused("", done.returncode if done.returncode > 0 else 128 - done.returncode)
    return done
