# SPDX-License-Identifier: Apache-2.0
"""A grid's cells as Ray tasks, on a real one-machine Ray cluster."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import pytest
from grid_jobs import SLOW, Jobs, check_a_cancelled_grid_is_resumed, check_a_failed_cell, check_only_one_hands_out, check_the_cells_run_once
from workspaces import REPOSITORY

sys.path.append(str(REPOSITORY / "tests/python"))
from recipe_packages import CannotInstall, folder_of  # noqa: E402

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    try:
        ray = folder_of("ray")
    except CannotInstall as reason:
        pytest.skip(f"ray cannot be installed here: {reason}")
    paths = [str(ray), os.environ.get("PYTHONPATH", "")]
    # Ray writes a token into the user's folder, and its sockets need a short path.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as sessions:
        yield {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path_factory.mktemp("home")),
            "RAY_TMPDIR": sessions,
            "RAY_USAGE_STATS_ENABLED": "0",
        }


@pytest.fixture
def jobs(tmp_path, environment):
    # Both cells must run at once, even on one core.
    return Jobs(tmp_path, ["--through", "ray", "--option", "num_cpus=0.5"], environment)


def test_cells_run(jobs):
    check_the_cells_run_once(jobs)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_grid_is_resumed(jobs, number):
    check_a_cancelled_grid_is_resumed(jobs, number)


def test_a_failed_cell(jobs):
    check_a_failed_cell(jobs)


def test_only_one_hands_out(jobs):
    check_only_one_hands_out(jobs)


def test_cells_end_with_a_killed_process(jobs):
    process = jobs.begin_slow_cells()
    process.kill()
    process.communicate()
    jobs.wait_for(lambda: jobs.programs() == [])
    assert jobs.statuses() == ["lost", "lost"]
    jobs.make_quick()
    assert jobs.hand_out("out").returncode == 0
    assert jobs.statuses() == ["ok", "ok"]


def test_a_killed_worker_is_told(jobs):
    process = jobs.begin_slow_cells()
    jobs.kill_jobs()
    out, error = process.communicate(timeout=120)
    assert process.returncode == 1 and error.count("its task failed: ") == 2, error
    assert jobs.statuses() == ["lost", "lost"]


@pytest.fixture
def cluster(environment):
    """A Ray cluster of one core, for one cell at a time."""
    start = "from ray.scripts.scripts import main; main()", "start", "--head", "--block", "--port=0", "--num-cpus=1", "--include-dashboard=false"
    process = subprocess.Popen([sys.executable, "-c", *start], env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        if "To terminate the Ray runtime" in line:
            break
    yield
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def test_a_running_and_a_waiting_cell_on_a_cluster_that_goes_on(tmp_path, environment, cluster):
    jobs = Jobs(tmp_path, ["--through", "ray", "--address", "auto"], environment)
    process = jobs.begin("g.yaml", "--out", "out", SLOW)
    jobs.wait_for((jobs.folder / "out/plan.json").exists, process)
    jobs.wait_for(lambda: sorted(jobs.statuses()) == ["planned", "running"], process)
    process.send_signal(signal.SIGTERM)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 143 and "cancelling 2 jobs" in error and "Traceback" not in error, error
    assert sorted(jobs.statuses()) == ["lost", "planned"] and jobs.programs() == []
    jobs.make_quick()
    done = jobs.hand_out("out")
    assert done.returncode == 0, done.stderr
    assert jobs.statuses() == ["ok", "ok"]
    card = jobs.begin("g.yaml", "--out", "card", "device=cuda")
    for line in card.stderr:
        if "no machine of the Ray cluster has that many; it waits until one has" in line:
            break
    card.send_signal(signal.SIGTERM)
    card.communicate(timeout=120)
    assert card.returncode == 143


def test_what_is_asked_for_in_vain_is_told(jobs):
    planned = jobs.strata("grid", "run", "g.yaml", "--out", "out", "--engine", "manifest")
    assert planned.returncode == 0
    for words, text in {
        ("out", "--address", "127.0.0.1:1"): "Ray does not connect to 127.0.0.1:1: ",
        ("out", "--option", "num_cpuz=1"): "--option: ",
    }.items():
        done = jobs.hand_out(*words)
        assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert set(jobs.statuses()) == {"planned"}
    card = jobs.hand_out("g.yaml", "--out", "card", "device=cuda", CUDA_VISIBLE_DEVICES="")
    assert card.returncode == 2 and "a cell needs 1 GPU, and no machine of the Ray cluster has that many; name a cluster" in card.stderr, card.stderr
