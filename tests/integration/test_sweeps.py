# SPDX-License-Identifier: Apache-2.0
"""Sweeps that others start: Hydra's jobs as runs, and a grid's cells as jobs of submitit, here and on Slurm."""

import json
import os
import subprocess
import sys

import pytest
from slurm_cluster import CannotStart, Cluster
from workspaces import REPOSITORY, Workspace

pytest.importorskip("hydra", reason="hydra-core: third_party/requirements-workloads.txt")
pytest.importorskip("submitit", reason="submitit: third_party/requirements-workloads.txt")
pytestmark = pytest.mark.long
EXAMPLES = REPOSITORY / "examples/python"
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


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


def test_hydras_jobs_are_runs_in_processes_of_their_own(workspace):
    """On a dry card: what one job leaves in its process, such as cuBLAS's workspace, another does not lack."""
    sweep = [sys.executable, EXAMPLES / "hydra_sweep.py", "--multirun", "width=256,1024", "device=cuda", "hydra.sweep.dir=sweep"]
    launcher = ["hydra/launcher=submitit_local", "hydra.launcher.gpus_per_node=1"]
    done = workspace.strata("exec", "--dry", "a100-40gb", "--plugins", "none", "--", *sweep, *launcher)
    assert done.returncode == 0, done.stderr
    compared = workspace.strata("diff", "sweep/0/memory", "sweep/1/memory", "--json")
    assert compared.returncode == 0, compared.stderr
    measures = {measure["name"]: measure for measure in json.loads(compared.stdout)["measures"]}
    parameters = measures["category.Parameter"]
    assert parameters["base"] >= 4 * 2 * 64 * 256 and 3.9 < parameters["new"] / parameters["base"] < 4.1
    workspaces = measures["kind.Temporary.workspace"]
    assert workspaces["base"] == workspaces["new"] > 0


def submit(workspace, *words, **environment):
    planned = workspace.strata("grid", "run", "g.yaml", "--out", "out", "--engine", "manifest")
    assert planned.returncode == 0, planned.stderr
    workspace.write("cells.txt", planned.stdout)
    program = [sys.executable, str(EXAMPLES / "submitit_grid.py"), "cells.txt", *words]
    done = subprocess.run(program, cwd=workspace.folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    status = json.loads(workspace.strata("grid", "status", "out", "--json").stdout)["cells"]
    assert [cell["status"] for cell in status] == ["ok", "ok"]
    assert [line.split(":")[0] for line in done.stdout.splitlines() if ": job " in line] == [cell["id"] for cell in status]
    return status


def test_a_grids_cells_are_jobs_of_submitit_here(workspace):
    workspace.write("g.yaml", GRID)
    submit(workspace, "--cluster", "local")


def test_a_grids_cells_are_jobs_of_submitit_on_slurm(workspace, tmp_path_factory):
    workspace.write("g.yaml", GRID)
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    except CannotStart as reason:
        pytest.skip(f"Slurm does not start here: {reason}")
    try:
        cells = submit(workspace, "--cluster", "slurm", "--slurm_partition", "tests", **cluster.environment)
        assert sorted(cell["job"].split("_")[-1] for cell in cells) == ["0", "1"]
    finally:
        # A step that ends behind its controller stays.
        cluster.wait_until("the end of the jobs", lambda: not cluster.call("squeue", "-h").strip())
        cluster.stop()
