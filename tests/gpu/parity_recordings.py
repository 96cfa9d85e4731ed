# SPDX-License-Identifier: Apache-2.0
"""Folders of recordings, and how new ones are made.

A folder has NAME.json.gz for each recorded case of parity_cases.py. `about.json` beside it says
what they were recorded with, and which cases may differ from a dry card, by how much and why.
"""

import dataclasses
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from parity_cases import CASES, HERE, REPOSITORY
from parity_comparison import Bound

STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")
LONGEST_RUN_S = 150


class NotRecorded(Exception):
    """A program that left no recording, and the reason."""


@dataclasses.dataclass(frozen=True)
class Recorded:
    """The recordings of a card."""

    folder: pathlib.Path
    about: dict

    @classmethod
    def read(cls, folder):
        file = folder / "about.json"
        return cls(folder, json.loads(file.read_text()) if file.exists() else {})

    def names(self):
        return [name for name in CASES if self.file(name).exists()]

    def file(self, name):
        return self.folder / "recordings" / f"{name}.json.gz"

    def recording(self, name):
        return read(self.file(name))

    def bound(self, name):
        return Bound(**self.about.get("bounds", {}).get(name, {}))


def read(file):
    with gzip.open(file, "rt") as stream:
        return json.load(stream)


def profile_of(name):
    """Return the file in configs/devices for the card of that name, or None."""
    for file in sorted((REPOSITORY / "configs/devices").glob("*.yaml")):
        named = re.search(r"^name: *(?:\{value: *)?[\"']?([^\"'\n,}]+)", file.read_text(), re.MULTILINE)
        if named is not None and named.group(1).strip() == name:
            return file
    return None


def record(name, file, profile=None):
    """Run a case on the card, or on the dry card of a profile; return its recording, which is then
    in `file`."""
    case = CASES[name]
    if case.missing():
        raise NotRecorded(f"needs {' and '.join(case.missing())}")
    if not case.program.exists():
        raise NotRecorded(f"{case.program.relative_to(REPOSITORY)} is not there")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    command = [sys.executable, HERE / "record.py", file, case.program, *case.words]
    if profile is not None:
        command = [STRATA, "exec", "--plugins", "none", "--dry", profile, "--", *command]
    # torch.compile does not try out what it finds in its caches, so each run begins with empty
    # ones.
    with tempfile.TemporaryDirectory() as caches:
        environment = {**os.environ, **case.environment, "TORCHINDUCTOR_CACHE_DIR": f"{caches}/inductor", "TRITON_CACHE_DIR": f"{caches}/triton"}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST_RUN_S, check=False)
        except subprocess.TimeoutExpired:
            raise NotRecorded(f"was not done after {LONGEST_RUN_S} s") from None
    if not file.exists():
        last = done.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        raise NotRecorded(f"ended with exit code {done.returncode} and no recording: {last[0]}")
    return read(file)
