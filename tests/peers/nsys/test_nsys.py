# SPDX-License-Identifier: Apache-2.0
"""The markers in a real Nsight Systems (2022.4.2, which needs no GPU for NVTX): its tables and its
export have the same ranges, counts and numbers as the run's store.

That version supports none of NVTX's extensions: no payload schemas, no counters, no memory heaps.
So the test compares the baseline, the 64-bit payload of each range and mark.
tests/integration/test_nvtx.py tests the extensions with a tool of our own."""

import collections
import contextlib
import json
import os
import pathlib
import sqlite3
import sys

import pytest
from nsight import MARK, PUSH_POP, START_END, Nsight, Unavailable

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "tests/integration"))

from stored_ranges import StoredRanges  # noqa: E402

STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
CONFIG = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 64, context: 16}
data: {source: synthetic, batch_size: 2}
accumulation: 2
schedule: {wait: 1, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer, nvtx_markers]
"""
CAPTURE = "plugins=[allocator_tracer, {nvtx_markers: {capture: nvtx}}]"

pytestmark = pytest.mark.long


@pytest.fixture(scope="session")
def nsight():
    try:
        return Nsight()
    except Unavailable as reason:
        pytest.skip(str(reason))


def profiled(nsight, folder, *words, options=()):
    """Return the reports and the run's store."""
    (folder / "small.yaml").write_text(CONFIG)
    done, reports = nsight.profile(
        (STRATA, "run", "small.yaml", "--out", "out", *words), *options, folder=folder
    )
    assert reports, f"{done.stdout}\n{done.stderr}"
    return reports, StoredRanges(folder / "out")


@pytest.fixture(scope="module")
def whole_run(nsight, tmp_path_factory):
    (report,), stored = profiled(nsight, tmp_path_factory.mktemp("whole"))
    return report, stored, nsight.export(report)


def test_the_export_has_a_range_for_each_row_of_the_store(whole_run):
    _, stored, exported = whole_run
    assert exported.ranges(PUSH_POP) == stored.loop_ranges() + stored.layers()
    assert exported.ranges(START_END) == stored.loop_ranges() + collections.Counter({("window", 2): 1})
    assert exported.still_open() == []
    assert exported.categories() == {
        1: "step", 2: "micro-batch", 3: "phase", 4: "layer", 5: "memory", 6: "window",
    }  # fmt: skip
    assert exported.threads == {"loop thread"}


def test_marks_stand_in_for_what_it_does_not_know(whole_run):
    _, stored, exported = whole_run
    marks = exported.ranges(MARK)
    counts = collections.Counter()
    for (text, _), n in marks.items():
        counts[text] += n
    assert counts == {"allocated bytes": len(stored.steps) + len(stored.phases), "tokens": len(stored.steps)}
    assert {tokens for text, tokens in marks if text == "tokens"} == {tokens for _, _, tokens in stored.steps}


def test_its_summary_groups_by_message(nsight, whole_run):
    report, stored, _ = whole_run
    rows = nsight.stats(report, "nvtxsum")
    counts = collections.Counter()
    for row in rows:
        counts[row["Style"], row["Range"]] = int(row["Instances"])
    expected = collections.Counter()
    for (message, _), n in stored.loop_ranges().items():
        expected["PushPop", f"strata:{message}"] += n
        expected["StartEnd", f"strata:{message}"] += n
    for (message, _), n in stored.layers().items():
        expected["PushPop", f"strata:{message}"] += n
    expected["StartEnd", "strata:window"] = 1
    assert counts == expected


def test_a_steps_time_is_the_stores(whole_run):
    """The difference is the time of the two calls around a step; a tenth of the step is far
    more."""
    report, _, exported = whole_run
    (store,) = (report.parent / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        ours = database.execute("SELECT end_ns - begin_ns FROM step ORDER BY step").fetchall()
    theirs = [end - start for event, text, _, _, start, end, _ in exported.rows if (event, text) == (START_END, "step")]
    for (our_ns,), their_ns in zip(ours, theirs, strict=True):
        assert their_ns == pytest.approx(our_ns, rel=0.1)


@pytest.mark.parametrize("end", ["stop", "stop-shutdown"])
def test_a_capture_by_range_records_the_first_active_step(nsight, tmp_path, end):
    options = ("-c", "nvtx", "-p", "step@strata", f"--capture-range-end={end}", "--kill=none")
    (report,), stored = profiled(nsight, tmp_path, CAPTURE, options=options)
    exported = nsight.export(report)
    assert exported.ranges(PUSH_POP) == stored.loop_ranges(only={2}) + stored.layers(only={2})
    assert len(stored.steps) == 4, "the run went on to its end"


def test_a_repeated_capture_records_each_active_step(nsight, tmp_path):
    options = ("-c", "nvtx", "-p", "step@strata", "--capture-range-end=repeat:2")
    reports, stored = profiled(nsight, tmp_path, CAPTURE, options=options)
    assert len(reports) == 2
    for step, report in zip((2, 3), reports, strict=True):
        exported = nsight.export(report)
        assert exported.ranges(PUSH_POP) == stored.loop_ranges(only={step}) + stored.layers(only={step})


def test_a_capture_of_the_window_has_all_active_steps_without_an_option(nsight, tmp_path):
    options = ("-c", "nvtx", "-p", "window@strata", "--capture-range-end=stop")
    (report,), stored = profiled(nsight, tmp_path, options=options)
    exported = nsight.export(report)
    assert exported.ranges(PUSH_POP) == stored.loop_ranges(only={2, 3}) + stored.layers(only={2, 3})


def test_a_dry_run_shows_autograds_thread(nsight, tmp_path):
    (report,), stored = profiled(nsight, tmp_path, "--dry", "h100-80gb", "checkpointing=block")
    exported = nsight.export(report)
    assert exported.ranges(PUSH_POP) == stored.loop_ranges() + stored.layers()
    assert exported.still_open() == []
    assert exported.threads == {"loop thread", "pt_autograd_0"}
    assert any(text.endswith(" recompute") for text, _ in stored.layers())


def test_ranks_are_recorded_with_their_forks(nsight, tmp_path):
    (report,), stored = profiled(nsight, tmp_path, "world_size=2", options=("--trace-fork-before-exec=true",))
    exported = nsight.export(report)
    assert exported.processes == 2
    one = stored.loop_ranges() + stored.layers()
    assert exported.ranges(PUSH_POP) == one + one


def test_doctor_knows_the_session(nsight, tmp_path):
    done, _ = nsight.profile((STRATA, "doctor", "--json"), folder=tmp_path)
    text = done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1]
    (tool,) = [check for check in json.loads(text)["checks"] if check["name"] == "NVTX tool"]
    assert tool["verdict"] == "ok"
    assert tool["detail"].startswith("Nsight Systems, session ")
