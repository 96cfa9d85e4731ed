# SPDX-License-Identifier: Apache-2.0
"""A grid that is resumed after a fault gives the same result as an undisturbed one."""

import os
import random
import resource
import signal
import subprocess
import time

import pytest
from test_grid import GRID, finished_grid, grid, status, table  # noqa: F401

def resume(workspace):
    return workspace.strata("grid", "resume", "out")


def wait_for(what, seconds=120):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def running(workspace):
    """Return the ids of running cells with their process numbers."""
    found = {}
    for state in (workspace.folder / "out/cells").glob("*/state.json"):
        if '"status": "running"' in state.read_text():
            found[state.parent.name] = children_of(state.parent)
    return found


def children_of(cell):
    """Return the process whose command names the cell's configuration."""
    for process in os.listdir("/proc"):
        if process.isdigit():
            try:
                command = open(f"/proc/{process}/cmdline", "rb").read().split(b"\0")
            except OSError:
                continue
            if str(cell / "config.yaml").encode() in command:
                return int(process)
    return None


def one_running(workspace):
    for id, process in running(workspace).items():
        if process:
            return id, process
    return None


def test_kills_at_random_moments(grid, finished_grid):  # noqa: F811
    """The grid itself is killed, and results that exist are kept."""
    moments = random.Random(7)
    kept = {}
    for attempt in range(8):
        process = grid.start("grid", *(("run", "g.yaml", "--out", "out") if attempt == 0 else ("resume", "out")))
        if attempt == 0:
            wait_for(lambda: (grid.folder / "out/plan.json").exists() or process.poll() is not None)
        time.sleep(moments.uniform(0.0, 2.5))
        process.kill()
        process.communicate()
        now = {id: cell["ended"] for id, cell in status(grid).items() if cell["status"] == "ok"}
        assert all(now.get(id) == ended for id, ended in kept.items())
        kept = now
    result = resume(grid)
    assert result.returncode == 0, result.stderr
    assert all(status(grid)[id]["ended"] == ended for id, ended in kept.items())
    assert table(grid) == table(finished_grid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_killed_cell(grid, finished_grid, number):  # noqa: F811
    process = grid.start("grid", "run", "g.yaml", "--out", "out")
    wait_for(lambda: (grid.folder / "out/cells").exists() and one_running(grid))
    id, cell = one_running(grid)
    os.kill(cell, number)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1, said
    expected = "lost" if number == signal.SIGKILL else "failed"
    states = status(grid)
    assert states[id]["status"] == expected and f"killed by {number.name}" in states[id]["reason"]
    assert sorted(each["status"] for each in states.values()) == sorted([expected] + ["ok"] * 3)
    assert resume(grid).returncode == 0
    assert table(grid) == table(finished_grid)


@pytest.mark.long
def test_a_cell_that_hangs(grid, finished_grid):  # noqa: F811
    process = grid.start("grid", "run", "g.yaml", "--out", "out", "limits.timeout=20s", "engine.slots=1")
    wait_for(lambda: (grid.folder / "out/cells").exists() and one_running(grid))
    id, cell = one_running(grid)
    os.kill(cell, signal.SIGSTOP)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1, said
    assert status(grid)[id]["status"] == "timeout"
    assert resume(grid).returncode == 0
    assert table(grid) == table(finished_grid)


def test_ctrl_c(grid, finished_grid):  # noqa: F811
    process = grid.start("grid", "run", "g.yaml", "--out", "out")
    wait_for(lambda: (grid.folder / "out/cells").exists() and one_running(grid))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "continue with `strata grid resume" in said
    assert not running(grid)
    assert resume(grid).returncode == 0
    assert table(grid) == table(finished_grid)


def predicting(workspace):
    """Return the processes that predict: their configuration is in a folder of the grid's own,
    below TMPDIR."""
    found = []
    for process in os.listdir("/proc"):
        if process.isdigit():
            try:
                command = open(f"/proc/{process}/cmdline", "rb").read()
            except OSError:
                continue
            if b"strata-grid-" in command and str(workspace.folder).encode() in command:
                found.append(int(process))
    return found


# Cells on the CPU that share the machine: a run first asks the dry GPU how much memory each of them
# needs.
ON_THE_CPU = ["device=cpu", "backend.threads=1", "engine.slots=2"]


@pytest.mark.parametrize("words", [("plan", "g.yaml"), ("run", "g.yaml", "--out", "out")])
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_while_memory_is_predicted(grid, monkeypatch, words, number, code):  # noqa: F811
    temporary = grid.folder / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    process = grid.start("grid", *words, *ON_THE_CPU)
    wait_for(lambda: predicting(grid) or process.poll() is not None)
    assert process.poll() is None, process.communicate()
    process.send_signal(number)
    out, said = process.communicate(timeout=60)
    assert process.returncode == code, said
    assert not out and not predicting(grid) and not list(temporary.iterdir())
    if words[0] == "plan":
        return
    assert "continue with `strata grid resume" in said
    assert {(cell["status"], cell["attempt"]) for cell in status(grid).values()} == {("planned", 0)}
    assert resume(grid).returncode == 0
    assert {cell["status"] for cell in status(grid).values()} == {"ok"}


def test_files_that_may_not_grow(grid, finished_grid):  # noqa: F811
    """This acts like an exhausted quota: there is no room for a run's spool."""
    limited = subprocess.run(
        grid.command("grid", "run", "g.yaml", "--out", "out"),
        cwd=grid.folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert limited.returncode == 1, limited.stderr
    assert "ok" not in {cell["status"] for cell in status(grid).values()}
    result = resume(grid)
    assert result.returncode == 0, result.stderr
    assert table(grid) == table(finished_grid)


@pytest.fixture
def small_disk(tmp_path):
    """A folder with 12 MiB of room; skips with the reason if it cannot be made."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", folder], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk(grid, finished_grid, small_disk):  # noqa: F811
    (grid.folder / "out").symlink_to(small_disk)
    (small_disk / "filler").write_bytes(b"x" * (9 << 20))
    (grid.folder / "out/cells").mkdir()
    os.rename(small_disk / "filler", small_disk / "cells/filler")
    result = grid.strata("grid", "run", "g.yaml", "--out", "out")
    assert result.returncode == 1, result.stderr
    assert "free some space, then continue with" in result.stderr
    (small_disk / "cells/filler").unlink()
    subprocess.run(["mount", "-o", "remount,size=256m", small_disk], check=True)
    result = resume(grid)
    assert result.returncode == 0, result.stderr
    assert table(grid) == table(finished_grid)


def test_a_folder_that_cannot_be_written(grid, small_disk):  # noqa: F811
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    result = grid.strata("grid", "run", "g.yaml", "--out", small_disk)
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert result.returncode != 0
    assert "Read-only file system" in result.stderr
