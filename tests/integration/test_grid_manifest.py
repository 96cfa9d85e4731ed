# SPDX-License-Identifier: Apache-2.0
"""A grid as command lines that other tools run: GNU parallel, xargs, a shell, twice, at the same
time."""

import os
import subprocess

import pytest
from slurm_cluster import CannotStart, unpacked
from test_grid import finished_grid, grid, status, table  # noqa: F401


@pytest.fixture(scope="session")
def parallel():
    """Debian's GNU parallel; skips with the reason if it is missing."""
    try:
        return unpacked("parallel", ["parallel"]) / "usr/bin/parallel"
    except CannotStart as reason:
        pytest.skip(str(reason))


def manifest(grid, *words):
    result = grid.strata("grid", "run", "g.yaml", "--engine", "manifest", "--out", "out", *words)
    assert result.returncode == 0, result.stderr
    grid.write("cells.txt", result.stdout)
    return result.stdout.splitlines()


def run(grid, words):
    # Run far from the grid: a line has every path it needs.
    elsewhere = grid.folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    with open(grid.folder / "cells.txt") as lines:
        return subprocess.run(list(map(str, words)), cwd=elsewhere, stdin=lines, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "HOME": str(elsewhere)})


def test_gnu_parallel_and_xargs_give_what_the_grid_gives(grid, finished_grid, parallel):  # noqa: F811
    assert len(manifest(grid)) == 4
    assert {cell["status"] for cell in status(grid).values()} == {"planned"}
    arguments = [parallel, "--will-cite", "--jobs", "2", "--joblog", grid.folder / "jobs.txt", "--resume-failed"]
    result = run(grid, arguments)
    assert result.returncode == 0, result.stderr
    assert table(grid) == table(finished_grid)
    before = {id: cell["ended"] for id, cell in status(grid).items()}
    # Run again, then with another tool: existing results stay.
    assert run(grid, arguments).returncode == 0
    result = run(grid, ["xargs", "-d", "\n", "-n", "1", "-P", "2", "sh", "-c"])
    assert result.returncode == 0 and "has a result: ok" in result.stderr
    assert {id: cell["ended"] for id, cell in status(grid).items()} == before


def test_two_at_the_same_time_run_each_cell_once(grid):  # noqa: F811
    lines = manifest(grid, "model.layers=1")
    both = [subprocess.Popen(["sh", "-c", line], stderr=subprocess.PIPE, text=True) for line in lines * 3]
    said = [process.communicate(timeout=300)[1] for process in both]
    for process, text in zip(both, said):
        assert process.returncode == 0 or "is being run by process" in text, text
    assert {(cell["status"], cell["attempt"]) for cell in status(grid).values()} == {("ok", 1)}


def test_failures_are_run_again(grid, parallel):  # noqa: F811
    grid.write("words.txt", "x" * 4000)
    manifest(grid, "data={source: text, path: words.txt, batch_size: 2}", "model.layers=1", "model.vocab=[256, 512]", "optimizer={name: sgd}")
    words = (grid.folder / "words.txt").rename(grid.folder / "away.txt")
    arguments = [parallel, "--will-cite", "--jobs", "1", "--joblog", grid.folder / "jobs.txt", "--resume-failed"]
    result = run(grid, arguments)
    assert result.returncode == 2, result.stderr  # parallel's exit code is the number of failed commands
    assert {cell["status"] for cell in status(grid).values()} == {"failed"}
    words.rename(grid.folder / "words.txt")
    assert run(grid, arguments).returncode == 0
    assert [(cell["status"], cell["attempt"]) for cell in status(grid).values()] == [("ok", 2)] * 2


def test_out_of_memory_is_a_result_of_its_line(grid):  # noqa: F811
    (line,) = manifest(grid, "optimizer={name: sgd}", "model.layers=1", "model.vocab=8192", "data.batch_size=1000000")
    for _ in range(2):
        assert subprocess.run(["sh", "-c", line], timeout=300).returncode == 0
    assert [(cell["status"], cell["attempt"]) for cell in status(grid).values()] == [("oom", 1)]


def test_a_name_that_the_shell_would_read_otherwise(grid):  # noqa: F811
    odd = "it's $HOME; `echo x` & two"
    result = grid.strata("grid", "run", "g.yaml", "--engine", "manifest", "--out", odd, "model.layers=1", "optimizer={name: sgd}")
    (line,) = result.stdout.splitlines()
    assert subprocess.run(["sh", "-c", line], capture_output=True, timeout=300).returncode == 0
    assert [cell["status"] for cell in status(grid, odd).values()] == ["ok"]


def test_an_export_has_what_is_left(grid):  # noqa: F811
    lines = manifest(grid)
    assert subprocess.run(["sh", "-c", lines[1]], timeout=300).returncode == 0
    exported = grid.strata("grid", "export", "out", "--engine", "manifest")
    assert exported.stdout.splitlines() == [lines[0], *lines[2:]]
    # The scripts are made even without Slurm, for its usual limit.
    scripts = grid.strata("grid", "export", "out", "--engine", "slurm", PATH="/nowhere")
    assert scripts.returncode == 0, scripts.stderr
    assert "scontrol is not in PATH" in scripts.stderr and "1001" in scripts.stderr
    assert "#SBATCH --array=0-2\n" in open(scripts.stdout.splitlines()[0]).read()
    refused = grid.strata("grid", "resume", "out", "--engine", "slurm", PATH="/nowhere")
    assert refused.returncode == 1 and "scontrol is not in PATH" in refused.stderr


def test_what_is_asked_for_in_vain_is_told(grid):  # noqa: F811
    manifest(grid)
    unknown = grid.strata("grid", "cell", "out", "0123456789ab")
    assert unknown.returncode == 2 and "no cell of out has the id 0123456789ab" in unknown.stderr
    grid.write("list.txt", "0123456789ab\n")
    beyond = grid.strata("grid", "cell", "out", "--list", "list.txt", "--index", "1")
    assert beyond.returncode == 1 and "no task 1" in beyond.stderr
    grid.write("g.yaml", (grid.folder / "g.yaml").read_text() + "engine: {kind: slurm, partition: 'a b', time: 90, cpus: 0, gpus: 1, gres: 'gpu:1', sbatch: [mem=1]}\n")
    wrong = grid.strata("grid", "plan", "g.yaml")
    assert wrong.returncode == 2
    for text in ("engine.partition: expected one word", "engine.time: expected a time such as 30m", "engine.cpus: expected an integer from 1",
                 "engine.gpus: cannot be combined with gres", "engine.sbatch: expected options of sbatch"):
        assert f"g.yaml:12:" in wrong.stderr and text in wrong.stderr, wrong.stderr
