# SPDX-License-Identifier: Apache-2.0
"""The README's run: its loss falls, and every byte of it has a category."""

import json

import pytest

from workspaces import REPOSITORY

pytestmark = pytest.mark.smoke


@pytest.mark.long
def test_the_quickstart_learns_and_names_every_byte(workspace):
    # The unchanged configuration, except for fewer steps before the window, and the checks that a
    # run can ask for.
    result = workspace.strata(
        "run",
        REPOSITORY / "configs/quickstart.yaml",
        "--json",
        "--out",
        "out",
        "schedule.wait=30",
        "trace.cross_check=true",
        "trace.saved_tensors=true",
        timeout=1800,
    )
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["categories"]["Unknown"]["max"] == 0
    assert summary["peak"]["categories"]["Unknown"] == 0
    check = summary["checks"]["cross_check"]
    assert check["events_compared"] == check["events"] > 1000
    assert check["mismatches"] == check["reports_without_event"] == 0
    assert summary["checks"]["saved_tensors"]["blocks_labelled_differently"] == 0

    losses = [loss for (loss,) in workspace.query("out", "SELECT loss FROM step ORDER BY step")]
    assert len(losses) == 30 + 2 + 5
    assert losses[-1] < 0.8 * losses[0]
