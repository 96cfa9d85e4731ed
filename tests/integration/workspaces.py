# SPDX-License-Identifier: Apache-2.0
"""The program, and a folder to run it in."""

import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess

from without_compiler import without_compiler

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")

TINY = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""


class Workspace:
    """An empty folder in which the program runs."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = self.folder / name
        if name.endswith(".py") and isinstance(text, str):
            text = without_compiler(text)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def command(self, *words):
        return [STRATA, *map(str, words)]

    def strata(self, *words, timeout=400, **environment):
        return subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def start(self, *words):
        """Start the program and return its process with pipes. Ctrl-C works even when the tests run
        in a script's background."""
        return subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def query(self, out, statement):
        """Return the rows of a statement on the only store of the run in folder `out`; changes are
        kept."""
        (store,) = (self.folder / out / "rank0").glob("*.sqlite")
        with contextlib.closing(sqlite3.connect(store)) as database, database:
            return database.execute(statement).fetchall()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())
