# SPDX-License-Identifier: Apache-2.0
"""Grids on a real Slurm on this machine: it gives the same results as the engine `local`."""

import json
import os
import signal
import time

import pytest
from workspaces import Workspace
from slurm_cluster import CannotStart, Cluster
from test_grid import GRID, finished_grid, status, table  # noqa: F401

pytestmark = pytest.mark.long


class SlurmWorkspace(Workspace):
    def __init__(self, folder, cluster):
        super().__init__(folder)
        self.cluster = cluster
        self.write("g.yaml", GRID)

    def strata(self, *words, **environment):
        return super().strata(*words, **{**self.cluster.environment, **environment})

    def submit(self, *words):
        result = self.strata("grid", *words)
        assert result.returncode == 0, result.stderr
        return result

    def queue(self):
        return self.cluster.call("squeue", "-h", "-r", "-o", "%F_%K %T").split("\n")[:-1]

    def wait_for(self, what, seconds=120):
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, (self.queue(), self.said())
            time.sleep(0.1)

    def wait_for_end(self):
        self.wait_for(lambda: not self.queue())

    def said(self):
        return {path.name: path.read_text() for path in self.folder.glob("out/slurm/*/*.txt")}

    def running(self):
        return {id: cell for id, cell in status(self).items() if cell["status"] == "running"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"), max_array_size=3)
    except CannotStart as reason:
        pytest.skip(f"Slurm does not start here: {reason}")
    yield cluster
    cluster.stop()


@pytest.fixture
def grid(tmp_path, cluster):
    workspace = SlurmWorkspace(tmp_path, cluster)
    yield workspace
    cluster.call("scancel", "--me")
    workspace.wait_for_end()


SLOW = "schedule={wait: 0, warmup: 0, active: 20000}"


def slow_cell(grid, *more):
    """A grid of one cell that runs for minutes."""
    grid.submit("run", "g.yaml", "--engine", "slurm", "--out", "out", "model.layers=1", "optimizer={name: sgd}", SLOW, *more)
    grid.wait_for(grid.running)
    (cell,) = grid.running().values()
    return cell


def quick_again(grid, *words):
    """Give the slow cells fewer steps from now on: the test checks which cells run, not how long
    they take."""
    (config,) = (grid.folder / "out/cells").glob("*/config.yaml")
    config.write_text(config.read_text().replace("20000", "2"))


def test_two_gpus_in_two_arrays_give_what_this_machine_gives(grid, finished_grid):  # noqa: F811
    """Four cells in arrays of three and of one, each with its own GPU. The collector's table equals
    the local one."""
    result = grid.submit("run", "g.yaml", "--engine", "slurm", "--out", "out", "engine.gpus=1", "engine.time=30m")
    assert "4 cells submitted: arrays" in result.stdout
    scripts = sorted(path.name for path in (grid.folder / "out/slurm/1").glob("*.sh"))
    assert scripts == ["array-0.sh", "array-1.sh", "collect.sh"]
    assert "#SBATCH --array=0-2\n" in (grid.folder / "out/slurm/1/array-0.sh").read_text()
    meanwhile = status(grid)
    assert len(meanwhile) == 4 and any(cell["queue"] for cell in meanwhile.values())
    grid.wait_for_end()
    cells = status(grid)
    assert {cell["status"] for cell in cells.values()} == {"ok"}, grid.said()
    assert {cell["gpus"] for cell in cells.values()} == {"0", "1"}
    jobs = [cell["job"] for cell in cells.values()]
    assert len(set(jobs)) == 4 and sorted(job.split("_")[1] for job in jobs) == ["0", "0", "1", "2"]
    assert table(grid) == table(finished_grid)
    # The collector wrote what `grid report` prints here.
    columns = "id,model.layers,optimizer,status,peak_allocated"
    collected = (grid.folder / "out/report/table.md").read_text().splitlines()
    assert len(collected) == 6 and (grid.folder / "out/report/report.html").exists()
    grid.submit("report", "out", "--out", "again", "--columns", columns)
    finished_grid.strata("grid", "report", "out", "--out", "again", "--columns", columns)
    assert (grid.folder / "again/table.csv").read_text() == (finished_grid.folder / "again/table.csv").read_text()
    # There is nothing left to submit.
    result = grid.submit("resume", "out")
    assert "0 of 4 cells to run" in result.stderr and not grid.queue()


def test_a_throttle_holds_over_all_arrays(grid):
    grid.submit("run", "g.yaml", "--engine", "slurm", "--out", "out", "engine.throttle=1")
    most = 0

    def over():
        queue = grid.queue()
        nonlocal most
        most = max(most, sum("RUNNING" in task and "N/A" not in task for task in queue))
        return not queue

    grid.wait_for(over)
    assert most == 1
    assert {cell["status"] for cell in status(grid).values()} == {"ok"}


def test_several_cells_of_one_task(grid, finished_grid):  # noqa: F811
    grid.submit("run", "g.yaml", "--engine", "slurm", "--out", "out", "engine.pack=3")
    grid.wait_for_end()
    cells = status(grid)
    assert [cell["job"].split("_")[1] for cell in cells.values()] == ["0", "0", "0", "1"], grid.said()
    assert table(grid) == table(finished_grid)


def test_a_cell_that_fails_and_one_without_memory(grid):
    """Out of memory is a result, and its task succeeds. A failed cell fails its task, and the
    others continue."""
    grid.write("words.txt", "x" * 4000)
    arguments = ["optimizer={name: sgd}", "model.layers=1", "model.vocab=8192", "data.batch_size=[2, 1000000]"]
    grid.submit("run", "g.yaml", "--engine", "slurm", "--out", "out", *arguments)
    grid.wait_for(lambda: sum("COMPLETED" in line for line in grid.cluster.call("squeue", "-h", "-r", "-t", "all", "-o", "%F_%K %T").splitlines()[-3:]) == 3)
    assert [cell["status"] for cell in status(grid).values()] == ["ok", "oom"]
    text = ["data.source=text", "data.path=words.txt", "model.vocab=[256, 512]", "optimizer={name: sgd}", "model.layers=1"]
    grid.submit("run", "g.yaml", "--engine", "slurm", "--no-submit", "--out", "text", *text)
    (grid.folder / "words.txt").unlink()
    assert not grid.queue()
    grid.submit("resume", "text")
    grid.wait_for_end()
    cells = status(grid, "text")
    assert {cell["status"] for cell in cells.values()} == {"failed"}
    failed = {cell["job"] for cell in cells.values()}
    states = dict(line.split() for line in grid.cluster.call("squeue", "-h", "-r", "-t", "all", "-o", "%F_%K %T").splitlines())
    assert {states[job] for job in failed} == {"FAILED"}


@pytest.mark.parametrize("words", [["scancel"], ["scancel", "--signal=USR1", "--batch"]])
def test_a_task_that_is_cancelled_is_lost_and_run_again(grid, words):
    cell = slow_cell(grid)
    refused = grid.strata("grid", "resume", "out", "--engine", "local")
    assert refused.returncode == 2 and "scancel" in refused.stderr
    # The cell is in the queue, so it is not submitted again.
    assert "0 of 1 cells to run" in grid.submit("resume", "out").stderr
    print(grid.cluster.call(*words, cell["job"]))
    grid.wait_for_end()
    (lost,) = status(grid).values()
    assert lost["status"] == "lost" and lost["attempt"] == 1, (lost, grid.said())
    quick_again(grid)
    grid.submit("resume", "out")
    grid.wait_for_end()
    (cell,) = status(grid).values()
    assert (cell["status"], cell["attempt"]) == ("ok", 2), grid.said()


def test_a_requeued_task_runs_its_cell_again(grid):
    cell = slow_cell(grid)
    quick_again(grid)
    print(grid.cluster.call("scontrol", "requeue", cell["job"]))
    grid.wait_for_end()
    (again,) = status(grid).values()
    assert (again["status"], again["attempt"]) == ("ok", 2), (again, grid.said())
    assert again["job"].split("_")[1] == "0"


def test_a_task_that_is_killed_leaves_a_lost_cell(grid):
    """The machine may be gone: no process could report anything."""
    cell = slow_cell(grid)
    (state,) = (grid.folder / "out/cells").glob("*/state.json")
    process = json.loads(state.read_text())["pid"]
    os.kill(int(open(f"/proc/{process}/stat").read().rsplit(")")[-1].split()[1]), signal.SIGKILL)
    grid.wait_for_end()
    (lost,) = status(grid).values()
    assert lost["status"] == "lost" and cell["job"] in lost["reason"], (lost, grid.said())


def test_exported_scripts_are_what_is_submitted(grid):
    grid.submit("run", "g.yaml", "--engine", "slurm", "--no-submit", "--out", "out", "engine.partition=tests", "engine.throttle=2")
    exported = grid.submit("export", "out", "--engine", "slurm").stdout.splitlines()
    assert [name.split("/")[-1] for name in exported] == ["array-0.sh", "array-1.sh", "collect.sh"]
    script = open(exported[0]).read()
    assert "#SBATCH --partition=tests\n#SBATCH --array=0-2%2\n" in script
    assert not grid.queue()
    assert "Submitted batch job" in grid.cluster.call("sbatch", exported[1])
    grid.wait_for_end()
    assert sorted(cell["status"] for cell in status(grid).values()) == ["ok", "planned", "planned", "planned"]


def test_what_slurm_refuses_is_told(grid):
    result = grid.strata("grid", "run", "g.yaml", "--engine", "slurm", "--out", "out", "engine.partition=none")
    assert result.returncode == 1
    assert "sbatch did not accept" in result.stderr and "invalid partition" in result.stderr
    assert {cell["status"] for cell in status(grid).values()} == {"planned"}


def test_status_is_json_while_tasks_run(grid):
    cell = slow_cell(grid)
    shown = json.loads(grid.submit("status", "out", "--json").stdout)
    assert shown["counts"]["running"] == 1
    assert shown["cells"][0]["queue"] == "RUNNING" and shown["cells"][0]["host"] == cell["host"] != ""
    assert "1 of them in Slurm's queue" in grid.submit("status", "out").stdout
