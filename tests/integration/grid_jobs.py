# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of `python -m strata_profiler.grid`: a small grid, a grid that runs for
minutes, and both ways to stop it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from workspaces import STRATA, Workspace

PACKAGE = pathlib.Path(STRATA).parents[1] / "lib/strata/python"
GRID = """\
grid: 1
name: small
base:
  model: {size: custom, layers: 1, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
  data: {source: synthetic}
  schedule: {wait: 0, warmup: 1, active: 1}
  device: {dry: a100-40gb}
axes: {data.batch_size: [1, 2]}
plugins: [allocator_tracer]
"""
SLOW = "schedule={wait: 0, warmup: 0, active: 20000}"


class Jobs(Workspace):
    """A folder with the grid. `through` are the options that select the job system; `environment`
    is what it needs."""

    def __init__(self, folder, through, environment=None):
        super().__init__(folder)
        self.through = through
        given = environment or {}
        paths = [str(PACKAGE), given.get("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
        self.environment = {**os.environ, **given, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self.write("g.yaml", GRID)

    def words(self, *words):
        return [sys.executable, "-m", "strata_profiler.grid", *words, *self.through]

    def hand_out(self, *words, **environment):
        return subprocess.run(self.words(*words), cwd=self.folder, env={**self.environment, **environment}, capture_output=True, text=True, timeout=300)

    def begin(self, *words):
        """Start the command and return its process with pipes. Ctrl-C works even when the tests run
        in a script's background."""
        return subprocess.Popen(
            self.words(*words),
            cwd=self.folder,
            env=self.environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def cells(self, out="out"):
        shown = self.strata("grid", "status", out, "--json", **self.environment)
        assert shown.returncode == 0, shown.stderr
        return json.loads(shown.stdout)["cells"]

    def statuses(self):
        return [cell["status"] for cell in self.cells()]

    def wait_for(self, what, process=None, seconds=120):
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, self.cells()
            assert process is None or process.poll() is None, process.communicate()
            time.sleep(0.2)

    def begin_slow_cells(self, *words):
        """Start two cells that run for minutes; return once both run."""
        process = self.begin("g.yaml", "--out", "out", SLOW, "--at-once", "2", *words)
        self.wait_for((self.folder / "out/plan.json").exists, process)
        self.wait_for(lambda: self.statuses() == ["running", "running"], process)
        self.wait_for(lambda: len(self.programs()) >= 4, process)
        return process

    def make_quick(self):
        """Give the slow cells fewer steps from now on: the test checks which cells run, not how
        long they take."""
        for config in (self.folder / "out/cells").glob("*/config.yaml"):
            config.write_text(config.read_text().replace("20000", "2"))

    def programs(self):
        """The `strata grid cell` and `strata run` processes that work in this folder."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if pathlib.Path(os.fsdecode(words[0])).name == "strata" and any(os.fsencode(self.folder / "out") in word for word in words):
                found.append(int(process.name))
        return found

    def kill_jobs(self):
        """Kill the processes that wait for a `strata grid cell`, as a system short of memory
        does."""
        programs = self.programs()
        for program in programs:
            parent = int(pathlib.Path(f"/proc/{program}/stat").read_text().rpartition(")")[2].split()[1])
            if parent not in programs:
                os.kill(parent, signal.SIGKILL)


def check_the_cells_run_once(jobs):
    done = jobs.hand_out("g.yaml", "--out", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    cells = jobs.cells()
    assert [(cell["status"], cell["attempt"]) for cell in cells] == [("ok", 1), ("ok", 1)]
    assert "[2/2] " in done.stderr and all(f"{cell['id']} data.batch_size=" in done.stderr for cell in cells)
    assert all(cell["id"] in done.stdout for cell in cells)
    again = jobs.hand_out("out", "--json")
    assert again.returncode == 0 and "0 of 2 cells to run" in again.stderr
    assert [cell["ended"] for cell in json.loads(again.stdout)["cells"]] == [cell["ended"] for cell in cells]
    return cells


def check_a_cancelled_grid_is_resumed(jobs, number):
    process = jobs.begin_slow_cells()
    if number == signal.SIGINT:  # as a terminal does
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 128 + number, error
    assert jobs.programs() == []
    assert jobs.statuses() == ["lost", "lost"], error
    assert f"continue with `python -m strata_profiler.grid {jobs.folder / 'out'} --through" in error
    jobs.make_quick()
    done = jobs.hand_out("out")
    assert done.returncode == 0, done.stderr
    assert [(cell["status"], cell["attempt"]) for cell in jobs.cells()] == [("ok", 2)] * 2


def check_only_one_hands_out(jobs):
    process = jobs.begin_slow_cells()
    try:
        second = jobs.hand_out("out")
        assert second.returncode == 2 and f"are being run by process {process.pid} on host" in second.stderr
        planned = jobs.hand_out("g.yaml", "--out", "out")
        assert planned.returncode == 2 and "are running cells of" in planned.stderr
        local = jobs.strata("grid", "resume", "out", "--engine", "local")
        assert local.returncode == 2 and "are running cells of" in local.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)


def check_a_failed_cell(jobs):
    """A failed cell is reported, the other one finishes, and the same command runs the failed cell
    again."""
    jobs.write("words.txt", "x" * 4000)
    text = ["data={source: text, path: words.txt, batch_size: 2}", "model.vocab=[256, 512]"]
    planned = jobs.strata("grid", "run", "g.yaml", "--out", "out", "--engine", "manifest", *text)
    assert planned.returncode == 0, planned.stderr
    (jobs.folder / "words.txt").rename(jobs.folder / "away.txt")
    done = jobs.hand_out("out")
    assert done.returncode == 1, done.stderr
    assert set(jobs.statuses()) == {"failed"} and "failed: " in done.stderr and "not every cell has a result; continue with" in done.stderr
    (jobs.folder / "away.txt").rename(jobs.folder / "words.txt")
    kept = jobs.hand_out("out", "--keep", "failed")
    assert kept.returncode == 1 and "0 of 2 cells to run" in kept.stderr
    assert jobs.hand_out("out").returncode == 0
    assert set(jobs.statuses()) == {"ok"}


def requires(name):
    return pytest.importorskip(name, reason=f"{name}: third_party/requirements-workloads.txt")
