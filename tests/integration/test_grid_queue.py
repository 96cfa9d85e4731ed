# SPDX-License-Identifier: Apache-2.0
"""The information that a grid gets from Slurm. Stand-ins for Slurm's programs log when they are
called, and may fail."""

import fcntl
import json
import os
import subprocess
import time

import pytest
from test_grid import grid  # noqa: F401

# Records which locks of the grid's folder were held while squeue ran.
SQUEUE = """\
#!/bin/sh
echo "$*" >> calls.txt
flock --nonblock --shared out/grid.lock true && echo shared >> locks.txt || echo alone >> locks.txt
if [ -d out/slurm ]; then flock --nonblock out/slurm/grid.lock true && echo free >> locks.txt || echo taken >> locks.txt; fi
cat said.txt
[ ! -e broken ] || { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
"""
SBATCH = """\
#!/bin/sh
echo "$*" >> submitted.txt
wc -l < submitted.txt
"""
ONE_CELL = ["model.layers=1", "optimizer={name: sgd}"]


@pytest.fixture
def slurm(grid):  # noqa: F811
    """A grid with stand-ins for Slurm's programs in PATH; a file `broken` in its folder makes
    squeue fail."""
    programs = grid.folder / "programs"
    programs.mkdir()
    for name, text in {"squeue": SQUEUE, "sbatch": SBATCH, "scontrol": "#!/bin/sh\necho 'MaxArraySize = 1001'\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    grid.write("said.txt", "")
    grid.path = f"{programs}:/usr/bin:/bin"
    return grid


def strata(slurm, *words):
    return slurm.strata("grid", *words, PATH=slurm.path)


def submitted(slurm):
    result = strata(slurm, "run", "g.yaml", "--engine", "slurm", "--out", "out", *ONE_CELL)
    assert result.returncode == 0, result.stderr
    assert len((slurm.folder / "submitted.txt").read_text().splitlines()) == 2  # an array, and the job that writes the report
    # While these lines are in the queue, neither job is over.
    slurm.write("said.txt", "1|0|PENDING\n")


def test_a_queue_that_cannot_be_asked_is_not_an_empty_one(slurm):
    submitted(slurm)
    (slurm.folder / "broken").touch()
    slurm.write("said.txt", "")
    before = (slurm.folder / "submitted.txt").read_text()
    for words in (
        ("resume", "out"), ("resume", "out", "--engine", "local"), ("resume", "out", "--engine", "manifest"),
        ("retry", "out", "--status", "lost"), ("run", "g.yaml", "--engine", "slurm", "--out", "out", *ONE_CELL),
        ("export", "out", "--engine", "slurm"), ("export", "out", "--engine", "manifest"),
    ):
        result = strata(slurm, *words)
        assert result.returncode == 1, (words, result.stdout, result.stderr)
        assert "Unable to contact slurm controller" in result.stderr and not result.stdout, words
        assert "cells could run twice" in result.stderr and f"move {slurm.folder}/out/slurm away" in result.stderr
    assert (slurm.folder / "submitted.txt").read_text() == before
    assert sorted(path.name for path in (slurm.folder / "out/slurm").glob("[0-9]*")) == ["1"]
    # Commands that only read report the failure.
    for words in (("status", "out"), ("report", "out")):
        result = strata(slurm, *words)
        assert result.returncode == 0 and "Unable to contact" in result.stderr, (words, result.stderr)
    assert "how many are in Slurm's queue is unknown" in strata(slurm, "status", "out").stdout
    # After the message's advice to move the submissions away, the grid does not ask Slurm.
    (slurm.folder / "out/slurm").rename(slurm.folder / "away")
    result = strata(slurm, "resume", "out", "--engine", "local")
    assert result.returncode == 0, result.stderr


def test_a_job_is_running_as_long_as_slurm_does_not_say_otherwise(slurm):
    submitted(slurm)
    (cell,) = (slurm.folder / "out/cells").iterdir()
    (cell / "state.json").write_text(json.dumps({"schema": "strata.cell/1", "id": cell.name, "status": "running", "attempt": 1, "job": "1_0"}))

    def status():
        (cell,) = json.loads(strata(slurm, "status", "out", "--json").stdout)["cells"]
        return cell["status"]

    slurm.write("said.txt", "")
    assert status() == "lost"
    (slurm.folder / "broken").touch()
    assert status() == "running"


def test_the_queue_is_asked_while_nobody_else_can_submit(slurm):
    submitted(slurm)
    assert not (slurm.folder / "locks.txt").exists()  # a grid that was never submitted does not ask Slurm
    result = strata(slurm, "resume", "out")
    assert result.returncode == 0 and "0 of 1 cells to run" in result.stderr, result.stderr
    assert (slurm.folder / "locks.txt").read_text().split() == ["shared", "taken"]
    (slurm.folder / "locks.txt").unlink()
    refused = strata(slurm, "resume", "out", "--engine", "local")
    assert refused.returncode == 2 and "scancel 1" in refused.stderr
    assert (slurm.folder / "locks.txt").read_text().split() == ["alone", "free"]
    (slurm.folder / "locks.txt").unlink()
    result = strata(slurm, "run", "g.yaml", "--engine", "slurm", "--out", "out", *ONE_CELL)
    assert result.returncode == 0 and "0 of 1 cells to run" in result.stderr, result.stderr
    assert (slurm.folder / "locks.txt").read_text().split() == ["alone", "taken"]


def test_the_jobs_that_hold_a_grid_are_named(slurm):
    """A running task shares the grid's lock; a command that needs it exclusively says which job to
    cancel."""
    submitted(slurm)
    slurm.write("said.txt", "1|0|RUNNING\n")
    with open(slurm.folder / "out/grid.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        for words in (("resume", "out", "--engine", "local"), ("run", "g.yaml", "--engine", "slurm", "--out", "out", *ONE_CELL)):
            refused = strata(slurm, *words)
            assert refused.returncode == 2 and "scancel 1" in refused.stderr, refused.stderr
        slurm.write("said.txt", "")
        refused = strata(slurm, "resume", "out", "--engine", "local")
        assert refused.returncode == 2 and "other commands or jobs (`strata grid cell`)" in refused.stderr


def test_two_that_submit_at_once_submit_once(slurm):
    """The first is held back inside sbatch; the second is rejected, and not because of an old
    queue."""
    (slurm.folder / "programs/sbatch").write_text(SBATCH + "echo > inside\nwhile [ ! -e go ]; do sleep 0.05; done\n")
    manifest = strata(slurm, "run", "g.yaml", "--engine", "slurm", "--no-submit", "--out", "out", *ONE_CELL)
    assert manifest.returncode == 0, manifest.stderr

    first = subprocess.Popen(slurm.command("grid", "resume", "out"), cwd=slurm.folder, env={**os.environ, "PATH": slurm.path},
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not (slurm.folder / "inside").exists():
            assert first.poll() is None
            time.sleep(0.02)
        second = strata(slurm, "resume", "out")
        assert second.returncode == 2 and f"out/slurm is being written by process {first.pid}" in second.stderr, second.stderr
    finally:
        (slurm.folder / "go").touch()
        said = first.communicate(timeout=60)
    assert first.returncode == 0, said
    assert len((slurm.folder / "submitted.txt").read_text().splitlines()) == 2
