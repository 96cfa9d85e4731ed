# SPDX-License-Identifier: Apache-2.0
"""Runs one command to its end and measures the resources of the command and all processes it waited
for."""

import dataclasses
import os
import pathlib
import subprocess
import time


class Failed(Exception):
    """A command that ended in an unexpected way, with the end of its output."""


@dataclasses.dataclass(frozen=True)
class Used:
    seconds: float
    processor_seconds: float  # user and system
    peak_bytes: int  # resident memory, of its largest process
    ended: float  # on the machine's monotonic clock
    output: str


def run(words, scratch, environment=None, statuses=(0,)):
    """Run the command. Its output and errors go to files in `scratch`, so that it never waits for a
    pipe."""
    words = [str(word) for word in words]
    output, errors = pathlib.Path(scratch) / "stdout", pathlib.Path(scratch) / "stderr"
    with output.open("w") as out, errors.open("w") as err:
        began = time.monotonic()
        process = subprocess.Popen(words, stdout=out, stderr=err, cwd=scratch, env={**os.environ, **(environment or {})})
        _, status, used = os.wait4(process.pid, 0)
        ended = time.monotonic()
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in statuses:
        said = errors.read_text(errors="replace")[-2000:] or output.read_text(errors="replace")[-2000:]
        raise Failed(f"{' '.join(words)}\nended with {process.returncode}:\n{said}")
    return Used(ended - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, ended, output.read_text(errors="replace"))


def bytes_in(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())
