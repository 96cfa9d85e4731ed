# SPDX-License-Identifier: Apache-2.0
"""Snapshots of torch's own allocator instead of runs: real ones, compared with torch's own
counts."""

import json
import os
import pathlib
import pickle
import subprocess
import sys

import pytest
import snapshot_programs
from workspaces import Workspace

torch = pytest.importorskip("torch")
if torch.version.cuda is None:
    pytest.skip("a torch without CUDA makes no snapshots", allow_module_level=True)

EXPANDABLE = "expandable_segments:True,roundup_power2_divisions:4"


def make(workspace, folder, program, settings="", devices=2):
    (workspace.folder / folder).mkdir()
    script = workspace.write(f"{folder}.py", program)
    result = subprocess.run(
        workspace.command("exec", "--dry", f"h100-80gb:{devices}", "--plugins", "none", "--out", f"{folder}.out", "--", sys.executable, script),
        cwd=workspace.folder / folder,
        env={**os.environ, "PYTORCH_CUDA_ALLOC_CONF": settings},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    """A workspace with snapshots of three programs."""
    workspace = Workspace(tmp_path_factory.mktemp("snapshots"))
    make(workspace, "fixed", snapshot_programs.FIXED)
    make(workspace, "expandable", snapshot_programs.FIXED, EXPANDABLE)
    make(workspace, "whole", snapshot_programs.WHOLE, devices=1)
    return workspace


NAMES = ["without_history", "from_the_middle", "without_stacks", "second", "wrapped", "out_of_memory"]
ALL = [*(f"{folder}/{name}" for folder in ("fixed", "expandable") for name in NAMES), "whole/whole"]


def checked(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


def statistics(workspace, name, device=0):
    return json.loads((workspace.folder / f"{name}.json").read_text())[device]


def summary(workspace, name, *words):
    return json.loads(checked(workspace.strata("report", f"{name}.pickle", "--json", *words)))


def last_sums(workspace, name, *words):
    """Return allocated bytes after the last event, and reserved bytes after the last event of a
    segment."""
    run = json.loads(checked(workspace.strata("export", f"{name}.pickle", "--format", "json", "--out", "-", *words)))

    def last(table, column):
        names = [each["name"] for each in run[table]["columns"]]
        return run[table]["rows"][-1][names.index(column)]

    return last("timeline", "Allocated"), last("segments", "reserved")


@pytest.mark.parametrize("name", ALL)
def test_the_sums_at_the_end_are_torchs_own(snapshots, name):
    allocated, _, reserved, _ = statistics(snapshots, name)
    assert last_sums(snapshots, name) == (allocated, reserved)


@pytest.mark.parametrize("name", [name for name in ALL if not name.endswith(("without_history", "wrapped", "second"))])
def test_the_peak_of_the_history_is_torchs_own(snapshots, name):
    _, peak, _, _ = statistics(snapshots, name)
    assert summary(snapshots, name)["peak"]["allocated_bytes"] == peak


@pytest.mark.parametrize("folder", ["fixed", "expandable"])
def test_each_device_has_its_own(snapshots, folder):
    for device in (0, 1):
        allocated, peak, reserved, _ = statistics(snapshots, f"{folder}/two_devices", device)
        words = ("--device", f"cuda:{device}")
        assert last_sums(snapshots, f"{folder}/two_devices", *words) == (allocated, reserved)
        assert summary(snapshots, f"{folder}/two_devices", *words)["peak"]["allocated_bytes"] == peak


def test_the_report_says_once_what_the_file_cannot_know(snapshots):
    text = " ".join(checked(snapshots.strata("report", "fixed/from_the_middle.pickle")).split())
    assert text.count("torch's memory snapshot from_the_middle.pickle") == 1
    assert "no steps, phases, modules, categories" in text
    assert "peaks before are unknown" in text
    assert "Warning" not in text
    assert "100.0%" not in text
    page = (snapshots.folder / "fixed/from_the_middle.pickle.run/report.html").read_text()
    assert "memory snapshot from_the_middle.pickle" in page


def test_the_summary_says_what_the_file_has(snapshots):
    found = summary(snapshots, "fixed/without_stacks")["snapshot"]
    assert found["has_times"] and not found["has_stacks"] and not found["has_categories"]
    assert found["blocks_at_begin"] == 0
    assert summary(snapshots, "fixed/from_the_middle")["snapshot"]["has_stacks"]
    assert not summary(snapshots, "fixed/from_the_middle")["snapshot"]["was_stopped"]
    assert summary(snapshots, "fixed/wrapped")["snapshot"]["blocks_at_begin"] > 0
    assert summary(snapshots, "fixed/without_history")["snapshot"]["entries"] == 0


def test_stacks_name_the_lines_that_allocated(snapshots):
    text = checked(snapshots.strata("report", "fixed/from_the_middle.pickle", "--stacks", "3"))
    assert "work" in text and "fixed.py" in text
    folded = checked(snapshots.strata("export", "fixed/from_the_middle.pickle", "--format", "folded", "--out", "-"))
    assert any("work" in line for line in folded.splitlines())


def test_annotations_are_steps_and_names(snapshots):
    found = summary(snapshots, "whole/whole")
    assert found["window"] == {"first_step": 0, "last_step": 2}
    blocks = json.loads(checked(snapshots.strata("export", "whole/whole.pickle", "--format", "json", "--out", "-")))
    assert "my range" in blocks["texts"]


def test_a_failed_allocation_is_told(snapshots):
    (failure,) = summary(snapshots, "fixed/out_of_memory")["out_of_memory"]
    assert failure["requested_bytes"] == 1 << 50
    assert failure["device_free_bytes"] > 0


@pytest.mark.parametrize("name", ["whole/whole", "fixed/without_stacks"])
def test_a_history_from_the_begin_replays_as_recorded(snapshots, name):
    found = json.loads(checked(snapshots.strata("replay", f"{name}.pickle", "--json", "--dry", "h100-80gb", "--alloc-conf", EXPANDABLE)))
    first, second = found["replays"]
    assert first["as_recorded"]["different"] == 0, first["as_recorded"]
    assert first["peak_allocated_bytes"] == summary(snapshots, name)["peak"]["allocated_bytes"]
    assert second["settings"] == EXPANDABLE


def test_a_history_from_the_middle_replays(snapshots):
    found = json.loads(checked(snapshots.strata("replay", "fixed/wrapped.pickle", "--json", "--dry", "h100-80gb")))
    assert found["calls"] > 50


@pytest.mark.parametrize("name", ["fixed/from_the_middle", "expandable/wrapped"])
def test_the_export_comes_back_as_the_same(snapshots, name):
    again = f"{name.replace('/', '_')}_again"
    checked(snapshots.strata("export", f"{name}.pickle", "--format", "memory_viz", "--out", f"{again}.pickle"))
    with open(snapshots.folder / f"{again}.pickle", "rb") as file:
        assert pickle.load(file)["device_traces"]
    assert summary(snapshots, again)["peak"]["allocated_bytes"] == summary(snapshots, name)["peak"]["allocated_bytes"]
    assert last_sums(snapshots, again) == last_sums(snapshots, name)


def test_two_snapshots_compare(snapshots):
    found = json.loads(checked(snapshots.strata("diff", "fixed/without_stacks.pickle", "fixed/second.pickle", "--json")))
    (peak,) = [measure for measure in found["measures"] if measure["name"] == "peak_allocated"]
    assert peak["base"] <= peak["new"]


def test_the_run_is_made_once_and_again_for_a_changed_file(snapshots):
    name = "changing.pickle"
    snapshots.write(name, (snapshots.folder / "fixed/wrapped.pickle").read_bytes())
    assert "made a run" in snapshots.strata("report", name, "--json").stderr
    assert "made a run" not in snapshots.strata("report", name, "--json").stderr
    snapshots.write(name, (snapshots.folder / "fixed/second.pickle").read_bytes())
    assert "made a run" in snapshots.strata("report", name, "--json").stderr


def test_a_file_that_would_run_code_is_refused_and_leaves_nothing(workspace):
    class Program:
        def __reduce__(self):
            return (pathlib.Path.touch, (pathlib.Path(workspace.folder / "touched"),))

    workspace.write("hostile.pickle", pickle.dumps({"segments": [], "device_traces": [Program()]}))
    result = workspace.strata("report", "hostile.pickle")
    assert result.returncode != 0
    assert "would import or call code" in result.stderr and "at byte" in result.stderr
    assert workspace.names() == ["hostile.pickle"]


def test_a_damaged_file_is_refused_and_leaves_nothing(snapshots, workspace):
    whole = (snapshots.folder / "fixed/wrapped.pickle").read_bytes()
    workspace.write("cut.pickle", whole[: len(whole) // 2])
    workspace.write("text.pickle", b"no pickle")
    workspace.write("empty.pickle", pickle.dumps({"segments": [], "device_traces": [[]]}))
    for name, reason in (("cut", "truncated"), ("text", "is not a pickle"), ("empty", "the snapshot is empty")):
        result = workspace.strata("report", f"{name}.pickle")
        assert result.returncode != 0
        assert reason in result.stderr
    assert workspace.names() == ["cut.pickle", "empty.pickle", "text.pickle"]


def test_categories_and_metadata_of_newer_torch_are_shown(workspace):
    begin, mib = 1 << 40, 1 << 20
    entries = [
        {"action": "alloc", "addr": begin, "size": 4 * mib, "category": "parameter", "user_metadata": "head.weight"},
        {"action": "alloc", "addr": begin + 4 * mib, "size": 2 * mib, "category": "GRADIENT", "compile_context": "0/1"},
        {"action": "alloc", "addr": begin + 6 * mib, "size": 1 * mib, "category": "something new"},
    ]
    blocks = [{"address": entry["addr"], "size": entry["size"], "requested_size": entry["size"], "state": "active_allocated"} for entry in entries]
    segment = {"device": 0, "address": begin, "total_size": 20 * mib, "stream": 0, "segment_type": "large", "blocks": blocks}
    trace = [{"action": "segment_alloc", "addr": begin, "size": 20 * mib}, *entries]
    for time, entry in enumerate(trace):
        entry.update(stream=0, time_us=1_700_000_000_000_000 + time)
    workspace.write("new.pickle", pickle.dumps({"segments": [segment], "device_traces": [trace]}))
    found = summary(workspace, "new")
    categories = found["peak"]["categories"]
    assert (categories["Parameter"], categories["Gradient"], categories["Unknown"]) == (4 * mib, 2 * mib, mib)
    text = checked(workspace.strata("report", "new.pickle"))
    assert "head.weight" in text and "0/1" in text
