# SPDX-License-Identifier: Apache-2.0
"""Runs of `strata` for the pages, each made once, in the checkout's root, like the commands that a
page prints."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from cell import Cell

GRIDS = "configs/seeds/grids"


class Failed(Exception):
    pass


class Grid:
    def __init__(self, command, folder, cells):
        self.command = command  # shown to readers
        self.folder = folder
        self.cells = cells  # by their settings' labels

    def __getitem__(self, label):
        return self.cells[label]


class Runs:
    def __init__(self, repository, folder):
        self.repository = repository
        self.folder = folder.resolve()
        self.program = os.environ.get("STRATA") or str(repository / "build/release/bin/strata")
        self.kept = {}

    def strata(self, *words):
        """Return its output. The words are what a reader would type; runs go into this object's
        folder."""
        return self._output([self.program, *map(str, words)])

    def grid(self, name, *words):
        """Return the cells of configs/seeds/grids/<name>.yaml; `words` are further options, such as
        --dry."""
        key = ("grid", name, words)
        if key not in self.kept:
            shown = f"strata grid run {GRIDS}/{name}.yaml {' '.join([*words, '--out'])} grids/{name}"
            out = self._new_folder(f"grid-{name}")
            self.strata("grid", "run", f"{GRIDS}/{name}.yaml", *words, "--out", out)
            told = json.loads(self.strata("grid", "status", out, "--json"))
            cells = {}
            for cell in told["cells"]:
                run = out / "cells" / cell["id"] / f"run-{cell['attempt']}"
                label = ", ".join(cell["settings"].values())
                cells[label] = Cell(json.loads((run / "summary.json").read_text()), run)
            self.kept[key] = Grid(shown, out, cells)
        return self.kept[key]

    def run(self, configuration, *words):
        """Return the run of one configuration of configs/seeds."""
        key = ("run", configuration, words)
        if key not in self.kept:
            out = self._new_folder(configuration)
            summary = json.loads(self.strata("run", f"configs/seeds/{configuration}.yaml", *words, "--out", out, "--json"))
            self.kept[key] = Cell(summary, out)
        return self.kept[key]

    def profiled(self, script, *words, dry=None):
        """Return the output of tools/seeds/<script>.py: torch.profiler's figures of another
        program."""
        key = ("profiled", script, words, dry)
        if key not in self.kept:
            program = [sys.executable, "-W", "ignore", f"tools/seeds/{script}.py", *words]
            before = [self.program, "exec", "--plugins", "none", "--dry", dry, "--"] if dry else []
            self.kept[key] = json.loads(self._output([*before, *program]))
        return self.kept[key]

    def keep_picture(self, made, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, path)

    def memory_picture(self, cell, title, *words):
        """Return the path of a PNG of a run's memory timeline."""
        looks = ("--what", "memory", "--format", "png", "--pixels", "1.25", "--title", title)
        printed = self.strata("plot", cell.folder, *looks, "--out", self._new_folder("plot"), *words)
        return pathlib.Path(printed.splitlines()[0])

    def _new_folder(self, name):
        self.folder.mkdir(parents=True, exist_ok=True)
        at = len(list(self.folder.iterdir()))
        return self.folder / f"{at:03}-{name}"

    def _output(self, words):
        done = subprocess.run(words, cwd=self.repository, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr[-2000:]}")
        return done.stdout
