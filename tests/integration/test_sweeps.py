# SPDX-License-Identifier: Apache-2.0
"""Sweeps that other tools start: Hydra's jobs as runs."""

import json
import sys

import pytest
from workspaces import REPOSITORY, Workspace

pytest.importorskip("hydra", reason="hydra-core: third_party/requirements-workloads.txt")
pytest.importorskip("submitit", reason="submitit: third_party/requirements-workloads.txt")
pytestmark = pytest.mark.long
EXAMPLES = REPOSITORY / "examples/python"


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


def test_hydras_jobs_are_runs_in_processes_of_their_own(workspace):
    """On a dry card. What one job leaves in its process, such as cuBLAS's workspace, another job
    does not inherit."""
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
