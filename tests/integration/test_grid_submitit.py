# SPDX-License-Identifier: Apache-2.0
"""A grid's cells as submitit jobs, here and on a real Slurm."""

import signal
import subprocess
import sys

import pytest
from grid_jobs import (
    PACKAGE,
    SLOW,
    Jobs,
    check_a_cancelled_grid_is_resumed,
    check_a_failed_cell,
    check_only_one_hands_out,
    check_the_cells_run_once,
    requires,
)
from slurm_cluster import CannotStart, Cluster

requires("submitit")
pytestmark = pytest.mark.long


@pytest.fixture
def here(tmp_path):
    return Jobs(tmp_path, ["--through", "submitit", "--cluster", "local"])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    except CannotStart as reason:
        pytest.skip(f"Slurm does not start here: {reason}")
    yield cluster
    cluster.stop()


@pytest.fixture
def on_slurm(tmp_path, cluster):
    jobs = Jobs(tmp_path, ["--through", "submitit", "--cluster", "slurm", "--option", "slurm_partition=tests"], cluster.environment)
    yield jobs
    cluster.call("scancel", "--me")
    # A Slurm step that ends after its controller would stay.
    cluster.wait_until("the end of the jobs", lambda: not cluster.call("squeue", "-h").strip())


def test_cells_run_here(here):
    check_the_cells_run_once(here)


def test_cells_are_an_array_on_slurm(on_slurm):
    cells = check_the_cells_run_once(on_slurm)
    assert sorted(cell["job"].split("_")[-1] for cell in cells) == ["0", "1"]


def test_the_grids_settings_for_slurm(on_slurm):
    settings = ["time=1h", "memory=1GiB", "throttle=1", "cpus=2", "gpus=1", "setup=[export SAID=1]", "sbatch=[--comment=small]"]
    settings = [f"engine.{setting}" for setting in settings]
    done = on_slurm.hand_out("g.yaml", "--out", "out", *settings, "--option", "slurm_qos=null")
    assert done.returncode == 0, done.stderr
    (script,) = (path.read_text() for path in (on_slurm.folder / "out/jobs").glob("*/*_submission.sh"))
    asked = "time=60 mem=1GB array=0-1%1 cpus-per-task=2 gpus-per-node=1 comment=small partition=tests job-name=strata-small"
    for words in asked.split():
        assert f"#SBATCH --{words}\n" in script, script
    assert "\nexport SAID=1\n" in script
    assert {cell["gpus"] for cell in on_slurm.cells()} <= {"0", "1"}


def test_ctrl_c_here(here):
    check_a_cancelled_grid_is_resumed(here, signal.SIGINT)


def test_sigterm_on_slurm(on_slurm):
    check_a_cancelled_grid_is_resumed(on_slurm, signal.SIGTERM)


def test_cells_end_with_their_killed_jobs(here):
    process = here.begin_slow_cells()
    here.kill_jobs()
    out, error = process.communicate(timeout=120)
    assert process.returncode == 1 and error.count("ended without a result; its output: ") == 2, error
    here.wait_for(lambda: here.programs() == [], seconds=20)
    assert here.statuses() == ["lost", "lost"]


def test_a_failed_cell_here(here):
    check_a_failed_cell(here)


def test_only_one_hands_out(here):
    check_only_one_hands_out(here)


def test_a_grid_that_runs_here_is_not_handed_out(here):
    process = here.start("grid", "run", "g.yaml", "--out", "out", SLOW)
    here.wait_for((here.folder / "out/plan.json").exists, process)
    here.wait_for(here.programs, process)
    refused = here.hand_out("out")
    assert refused.returncode == 2 and f"is being written by process {process.pid} on host" in refused.stderr, refused.stderr
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_jobs_that_outlive_a_killed_process_are_not_submitted_twice(on_slurm, cluster):
    process = on_slurm.begin_slow_cells()
    process.kill()
    process.communicate()
    assert [cell["queue"] for cell in on_slurm.cells()] == ["RUNNING", "RUNNING"]
    refused = on_slurm.hand_out("out")
    assert refused.returncode == 2 and "Slurm has 2 cells" in refused.stderr and "scancel" in refused.stderr
    cluster.call("scancel", "--me")
    on_slurm.wait_for(lambda: on_slurm.statuses() == ["lost", "lost"])
    on_slurm.make_quick()
    done = on_slurm.hand_out("out")
    assert done.returncode == 0, done.stderr


def test_a_job_that_someone_cancels_is_told(on_slurm, cluster):
    process = on_slurm.begin_slow_cells()
    cluster.call("scancel", "--me")
    out, error = process.communicate(timeout=120)
    assert process.returncode == 1, error
    assert on_slurm.statuses() == ["lost", "lost"] and "[2/2] " in error


def test_what_is_asked_for_in_vain_is_told(here):
    wrong = {
        ("g.yaml",): "g.yaml is a file: name the folder of its grid with --out",
        (".",): "contains no grid; plan one with `strata grid run GRID.yaml --engine manifest --out .`",
        ("g.yaml", "--out", "out", "--option", "slurm_partitoin=a"): "slurm_partitoin",
        ("g.yaml", "--out", "out", "--option", "five"): "--option five: expected NAME=VALUE",
        ("g.yaml", "--out", "out", "--at-once", "0"): "expected a number from 1",
        ("g.yaml", "--out", "out", "model.layerz=1"): "model.layerz",
    }
    for words, text in wrong.items():
        done = here.hand_out(*words)
        assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert set(here.statuses()) == {"planned"}


def test_what_slurm_refuses_is_told(tmp_path, cluster):
    jobs = Jobs(tmp_path, ["--through", "submitit", "--option", "slurm_partition=none"], cluster.environment)
    done = jobs.hand_out("g.yaml", "--out", "out")
    assert done.returncode == 2 and "invalid partition" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert set(jobs.statuses()) == {"planned"}


def test_without_submitit(here):
    program = "import sys; sys.modules['submitit'] = None; from strata_profiler.grid.__main__ import main; sys.exit(main())"
    words = [sys.executable, "-c", program, "out", "--through", "submitit"]
    done = subprocess.run(words, cwd=here.folder, env=here.environment, capture_output=True, text=True)
    assert done.returncode == 2 and "-m pip install submitit" in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_sbatchs_times():
    times = {"30": 30, "30:01": 31, "2:00:00": 120, "1-12": 2160, "1-12:30": 2190, "1-12:00:00": 2160}
    program = "import json, sys; from strata_profiler.grid.through_submitit import minutes_of; print(*map(minutes_of, sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", program, *times], env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True)
    assert done.stdout.split() == list(map(str, times.values())), done.stderr
