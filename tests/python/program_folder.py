# SPDX-License-Identifier: Apache-2.0
"""A folder for programs that import the package from the build tree."""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys

from without_compiler import without_compiler

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TREE = pathlib.Path(os.environ.get("STRATA_TREE") or REPOSITORY / "build/release")
STRATA = TREE / "bin/strata"
PACKAGE = TREE / "lib/strata/python"


class ProgramFolder:
    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(without_compiler(text) if name.endswith(".py") else text)
        return path

    def call(self, *words, timeout=400, **environment):
        paths = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": paths, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def python(self, *words, **options):
        return self.call(sys.executable, *words, **options)

    def exec(self, *words, options=(), out="out", **environment):
        """Run `strata exec` of a Python program, which must succeed."""
        done = self.call(STRATA, "exec", *options, "--out", out, "--", sys.executable, *words, **environment)
        assert done.returncode == 0, done.stderr
        return done

    def summary(self, out="out"):
        return json.loads((self.folder / out / "summary.json").read_text())

    def query(self, sql, out="out"):
        [store] = (self.folder / out).glob("rank0/*.sqlite")
        with sqlite3.connect(store) as database:
            return database.execute(sql).fetchall()

    def steps(self, out="out"):
        return [step["index"] for step in self.summary(out)["steps"]]

    def phases(self, out="out"):
        """Return (name, inferred, step) of each phase, by its start."""
        return self.query("SELECT name, inferred, step FROM phase ORDER BY begin_sequence", out)

    def owners(self, role, out="out"):
        return {name for (name,) in self.query(f"SELECT DISTINCT name FROM tensor WHERE role = {role}", out)}

    def layers(self, out="out", direction=0):
        return {path for (path,) in self.query(f"SELECT DISTINCT path FROM module WHERE direction = {direction}", out)}
