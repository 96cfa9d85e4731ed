# SPDX-License-Identifier: Apache-2.0
"""PyTorch's snapshot of a run, colored by category."""

import json
import pickle

from exported import CATEGORIES, RUNS, export, read_narrowly, replay, runs, snapshot_of, table  # noqa: F401 (a fixture too)
from torch.cuda import _memory_viz


@RUNS
def test_the_snapshot_is_a_pickle_that_memory_viz_can_read(runs, run):
    pickled = export(runs, run, "memory_viz")
    assert read_narrowly(pickled) == pickle.loads(pickled)


@RUNS
def test_the_sums_of_the_snapshot_are_those_of_the_timeline(runs, run):
    timeline = table(export(runs, run, "csv", "--what", "timeline"))
    sums = list(replay(snapshot_of(runs, run)))
    assert sums == [[int(row[name]) for name in CATEGORIES] for row in timeline]
    summary = json.loads((runs.folder / run / "summary.json").read_text())
    within = [row for row in timeline if row["step"] in ("1", "2")]
    assert max(int(row["Allocated"]) for row in within) == summary["peak"]["allocated_bytes"]


def test_the_sums_of_the_snapshot_are_those_of_the_store(runs):
    """On the CPU a block has the requested size, so the store's own rows add up to the same."""
    alive, total, most = {}, 0, 0
    rows = runs.query("cpu", "SELECT action, address, bytes FROM allocator_tracer_event ORDER BY sequence")
    totals = []
    for action, address, size in rows:
        if action == 1:
            alive[address] = size
            total += size
        elif address in alive:
            total -= alive.pop(address)
        else:
            continue
        most = max(most, total)
        totals.append(total)
    assert [sum(sums) for sums in replay(snapshot_of(runs, "cpu"))] == totals
    assert most > 0


@RUNS
def test_torchs_own_tools_read_the_snapshot(runs, run):
    snapshot = snapshot_of(runs, run)
    entries = snapshot["device_traces"][-1]
    assert f"{len(entries)} entries" in _memory_viz.trace(snapshot)
    assert "total_reserved" in _memory_viz.segsum(snapshot), "which asserts that blocks fill their segments"
    lines = _memory_viz.memory(snapshot, format_flamegraph=str)
    assert lines.startswith("stream_0;")
    assert _memory_viz.segments(snapshot, format_flamegraph=str).startswith("stream_0;seg_")
    assert _memory_viz.compare([], snapshot["segments"], format_flamegraph=str).startswith("only_after;")
    for plot in (_memory_viz.trace_plot, _memory_viz.segment_plot):
        assert "snapshot.pickle" in plot(snapshot)
    kept = _memory_viz.filter_alloc_free_pairs(snapshot)["device_traces"][-1]
    assert not [entry for entry in kept if entry["action"].startswith("free")]


def test_the_legend_names_every_category_in_the_tables_order(runs):
    order = list(dict.fromkeys(entry["category"] for entry in snapshot_of(runs, "cpu")["device_traces"][-1] if "category" in entry))
    assert order == [name.lower() for name in CATEGORIES]


def test_a_snapshot_of_a_card_has_its_segments(runs):
    summary = json.loads((runs.folder / "dry/summary.json").read_text())
    most = 0
    reserved = 0
    for entry in snapshot_of(runs, "dry")["device_traces"][0]:
        reserved += {"segment_alloc": entry["size"], "segment_free": -entry["size"]}.get(entry["action"], 0)
        most = max(most, reserved)
    assert most == max(step["peak_reserved_bytes"] for step in summary["steps"])
    expandable = snapshot_of(runs, "expandable")
    assert {entry["action"] for entry in expandable["device_traces"][0]} >= {"segment_map", "alloc", "free_requested"}
    assert all(segment["is_expandable"] for segment in expandable["segments"])


def test_frames_and_marks_say_where_a_block_was_made(runs):
    snapshot = snapshot_of(runs, "cpu")
    entry = next(entry for entry in snapshot["device_traces"][0] if "layers.0.attn.q_proj.weight" in entry.get("user_metadata", ""))
    assert entry["category"] == "parameter"
    assert {"filename": "phase", "line": 0, "name": "setup"} in entry["frames"]
    names = [mark["name"] for mark in snapshot["external_annotations"] if mark["stage"] == "START"]
    assert names.count("forward") == 6
    assert [name for name in names if name.startswith("step")] == ["step 0", "step 1", "step 2"]
    times = [mark["time_us"] for mark in snapshot["external_annotations"]]
    assert times == sorted(times)
