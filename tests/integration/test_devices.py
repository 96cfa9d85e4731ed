# SPDX-License-Identifier: Apache-2.0
"""Streams and pools hold memory back from each other; any of a run's devices can be reported."""

import json
import sys

import keep_dry_peaks
import pytest
from device_use import MIB, record_use, report


def test_what_another_streams_pool_has_free_is_told(workspace):
    record_use(workspace, "streams")
    summary = report(workspace)
    places = summary["places"]
    assert [place["stream"] == "0x0" for place in places] == [True, False]
    default, other = places
    assert default["allocated_bytes"] == 101 * MIB
    assert (other["allocated_bytes"], other["reserved_bytes"], other["blocks"]) == (24 * MIB, 64 * MIB, 1)
    assert sum(place["allocated_bytes"] for place in places) == summary["peak"]["allocated_bytes"]
    assert sum(place["reserved_bytes"] for place in places) == summary["peak"]["reserved_bytes"]
    text = workspace.strata("report", "out").stdout
    assert "At the peak, by stream and pool" in text
    assert f"stream {other['stream']}" in text
    assert "40.0 MiB are reserved and free in others than the first" in text


@pytest.mark.parametrize("settings", ["", "expandable_segments:True"])
def test_a_graphs_pool_is_a_place_of_its_own(workspace, settings):
    record_use(workspace, "pools", settings=settings)
    summary = report(workspace)
    pools = [place for place in summary["places"] if place["pool"] != "0x0"]
    assert [place["allocated_bytes"] for place in pools] == [30 * MIB]
    assert sum(place["reserved_bytes"] for place in summary["places"]) == summary["peak"]["reserved_bytes"]
    assert "graph's pool" in workspace.strata("report", "out").stdout


def test_a_run_with_one_stream_has_no_table_of_them(workspace):
    record_use(workspace, "threads")
    assert len(report(workspace)["places"]) == 1
    assert "by stream and pool" not in workspace.strata("report", "out").stdout


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    from workspaces import Workspace

    workspace = Workspace(tmp_path_factory.mktemp("several"))
    record_use(workspace, "devices")
    return workspace


# Blocks of one step are alive at a time, but each next block is allocated before the last one is
# freed.
@pytest.mark.parametrize(
    ("device", "peak"), [("cuda:0", 17 * MIB), ("cuda:1", 48 * MIB), ("pinned", 8 * MIB), ("cpu", 4 * MIB)]
)
def test_each_device_can_be_looked_at(several, device, peak):
    summary = report(several, "--device", device)
    assert summary["device"] == device
    assert summary["peak"]["allocated_bytes"] >= peak
    assert sum(summary["peak"]["categories"].values()) == summary["peak"]["allocated_bytes"]
    assert {other["device"] for other in summary["other_memory"]} == {"cuda:0", "cuda:1", "pinned", "cpu"} - {device}
    assert (summary["places"] == []) == (not device.startswith("cuda"))
    name = device.replace(":", "-")
    assert json.loads((several.folder / f"out/summary-{name}.json").read_text()) == summary
    assert (several.folder / f"out/report-{name}.html").is_file()
    exported = several.strata("export", "out", "--device", device, "--format", "json", "--out", "-")
    assert json.loads(exported.stdout)["peak"]["allocated_bytes"] == summary["peak"]["allocated_bytes"]


def test_without_a_choice_it_is_the_device_that_was_used_most(several):
    summary = report(several)
    assert summary["device"] == "cuda:1"
    assert json.loads((several.folder / "out/summary.json").read_text()) == summary
    text = several.strata("report", "out").stdout
    for other in ("cpu", "cuda:0", "pinned"):
        assert f"MiB at most on {other} beside it" in text
    assert "whose that is: strata report RUN --device cpu or cuda:0 or pinned" in text


@pytest.mark.parametrize("device", ["cuda:2", "cuda", "gpu", "../../cpu", "CUDA:0", ";", "cpu\n"])
def test_a_device_that_the_run_has_not_is_refused_with_those_it_has(several, device):
    before = sorted(path.name for path in (several.folder / "out").iterdir())
    for words in (["report", "out"], ["export", "out", "--format", "csv", "--out", "x.csv"]):
        result = several.strata(*words, "--device", device)
        assert result.returncode == 2
        assert f"it recorded no memory of '{device}', only of cpu, cuda:0, cuda:1, pinned" in result.stderr
        assert result.stdout == ""
    assert sorted(path.name for path in (several.folder / "out").iterdir()) == before
    assert not (several.folder / "x.csv").exists()


def test_what_is_kept_for_backward_in_the_hosts_memory_is_an_activation(workspace):
    """An offloaded activation does so: it is created in a forward, is alive when its backward
    begins, and is freed before that ends."""
    record_use(workspace, "devices", "backward")
    for device, size in (("pinned", 8 * MIB), ("cpu", 4 * MIB), ("cuda:1", 48 * MIB)):
        categories = report(workspace, "--device", device)["peak"]["categories"]
        assert categories["Activation"] == size == sum(categories.values())


def test_a_trainings_pinned_batches_have_names(workspace):
    workspace.write("small.yaml", keep_dry_peaks.CONFIG)
    result = workspace.strata("run", "small.yaml", "--dry", "h100-80gb", "--out", "out", "data.pin_memory=true")
    assert result.returncode == 0, result.stderr
    summary = report(workspace, "--device", "pinned")
    assert summary["device"] == "pinned"
    assert summary["categories"]["Input"]["max"] > 0
    text = " ".join(workspace.strata("report", "out", "--device", "pinned").stdout.split())
    assert "pinned, the host's memory, of a run on a dry NVIDIA H100" in text
    host = report(workspace, "--device", "cpu")
    assert host["peak"]["allocated_bytes"] > 0
    assert "registered tensors whose storage no recorded allocation made" not in workspace.strata("report", "out", "--device", "cpu").stdout


MOVED = """
import torch
model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
for _ in range(3):
    model(torch.randn(8, 1024, device="cuda")).sum().backward()
"""


def test_a_model_that_was_made_on_the_host_is_before_the_window(workspace):
    workspace.write("moved.py", MOVED)
    result = workspace.strata("exec", "--dry", "t4", "--detail", "--out", "out", "--", sys.executable, "moved.py")
    assert result.returncode == 0, result.stderr
    assert "MiB at most on cpu before the window" in result.stderr
    assert "whose that is" not in result.stderr
