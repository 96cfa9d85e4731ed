# SPDX-License-Identifier: Apache-2.0
"""Peaks within steps, epochs, the window, the run and between resets, of every kind of memory,
compared with the figures of the dry card, the allocator and the operating system."""

import csv
import json
import pathlib

import keep_dry_peaks
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
MEASURES = ("device_used", "reserved", "allocated", "requested", "resident")


@pytest.fixture
def small(workspace):
    workspace.write("small.yaml", keep_dry_peaks.CONFIG)
    return workspace


def run(workspace, *words, out="out"):
    result = workspace.strata("run", "small.yaml", "--out", out, "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def scopes(workspace, *words, out="out"):
    result = workspace.strata("report", out, "--scopes", "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def scope(told, label):
    (found,) = [each for each in told["scopes"] if each["label"] == label]
    return found


def expect_sums(moment):
    assert moment["device_used_bytes"] == moment["outside_bytes"] + moment["reserved_bytes"]
    assert moment["reserved_bytes"] == moment["unused_bytes"] + moment["deferred_bytes"] + moment["allocated_bytes"]
    assert moment["allocated_bytes"] == moment["rounding_bytes"] + moment["requested_bytes"]
    assert sum(moment["allocated_by_category"].values()) == moment["allocated_bytes"]
    assert sum(moment["requested_by_category"].values()) == moment["requested_bytes"]


CONFIGURATIONS = {
    "plain": [],
    "accumulated": ["accumulation=3", "zero_grad.set_to_none=false"],
    "checkpointed": ["checkpointing=block", "precision=bf16_autocast"],
    "fused": ["optimizer={name: adamw, impl: fused}", "precision=fp16_autocast"],
    "prefetched": ["data.pin_memory=true", "data.workers=1"],
    "forward": ["mode=forward"],
}


@pytest.mark.smoke
@pytest.mark.parametrize("words", CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
@pytest.mark.parametrize("profile", ["h100-80gb", "t4"])
def test_peaks_are_device_stats_own(small, profile, words):
    """torch's current and peak bytes, allocated, reserved and requested, reset at the start of each
    step: all equal to the byte."""
    summary = run(small, "--dry", profile, "trace.cross_check=true", *words)
    check = summary["checks"]["device_stats"]
    assert check["values"] >= 6 * 2 * len(summary["steps"])
    assert check["mismatches"] == 0
    expect_sums(summary["reconciliation"])
    steps = len(summary["steps"])
    rows = small.query(
        "out",
        "SELECT peak_allocated_bytes, peak_reserved_bytes, peak_requested_bytes FROM torch_device_stats AS d"
        " JOIN host_step_end AS s USING (sequence) ORDER BY sequence",
    )
    assert len(rows) == steps
    told = [
        (step["peak_allocated_bytes"], step["peak_reserved_bytes"], step["peak_requested_bytes"])
        for step in summary["steps"]
    ]
    assert told == rows


def test_a_count_that_differs_is_told(small):
    run(small, "--dry", "h100-80gb", "trace.cross_check=true")
    small.query("out", "UPDATE torch_device_stats SET peak_reserved_bytes = peak_reserved_bytes + 1 WHERE rowid = 3")
    text = " ".join(small.strata("report", "out").stdout.split())
    assert "1 of " in text
    assert "counts and peaks differ from DeviceStats" in text
    assert "first: peak reserved at the event of sequence" in text


def test_outside_of_the_allocator_is_the_context(small):
    """On a dry card only NCCL's communicators take other memory, and a single rank has none. A
    context consists of the parts that the program has touched by then: at the peak, all of them."""
    summary = run(small, "--dry", "h100-80gb")
    context = summary["dry"]["context_bytes"]["used"]
    parts = {part["part"]: part["bytes"] for part in summary["dry"]["context_parts"]}
    assert set(parts) == {"kernels", "cublas"}
    assert context == summary["dry"]["context_bytes"]["init"] + sum(parts.values())
    assert summary["reconciliation"]["outside_bytes"] == context
    samples = small.query(
        "out",
        "SELECT d.used_bytes, coalesce((SELECT sum(CASE e.action WHEN 3 THEN e.bytes ELSE -e.bytes END)"
        " FROM allocator_tracer_event AS e WHERE e.action IN (3, 4) AND e.sequence < d.sequence), 0)"
        " FROM torch_device_memory AS d ORDER BY d.sequence",
    )
    assert len(samples) >= 2 * len(summary["steps"])
    outside = [used - reserved for used, reserved in samples]
    assert outside == sorted(outside)
    assert set(outside) <= {context - parts["kernels"] - parts["cublas"], context - parts["cublas"], context}
    assert outside[-1] == context
    text = " ".join(small.strata("report", "out").stdout.split())
    assert f"{context / MIB:,.3f} MiB of the device outside the allocator: context, libraries, other processes" in text


def test_outside_of_the_allocator_are_nccls_communicators_too(small):
    summary = run(small, "device={dry: h100-80gb, nccl_memory: 64MiB}", "world_size=2", "ddp.ranks=first")
    dry = summary["dry"]
    assert dry["communicators"] > 0
    assert (
        summary["reconciliation"]["outside_bytes"]
        == dry["context_bytes"]["used"] + dry["communicators"] * dry["communicator_bytes"]["used"]
    )


def test_resets_are_a_matter_of_analysis(small):
    run(small, "--dry", "h100-80gb")
    told = scopes(small, "--reset", "step=1", "--reset", "step=2,phase=optimizer")
    first, second = scope(told, "since step 1"), scope(told, "since step 2 optimizer")
    assert first["end_ns"] == second["begin_ns"]
    assert first["allocated"]["peak_bytes"] >= scope(told, "step 1")["allocated"]["peak_bytes"]
    assert second["allocated"]["peak_bytes"] <= scope(told, "run")["allocated"]["peak_bytes"]
    assert second["allocated"]["peak_bytes"] >= second["allocated"]["begin_bytes"] > 0
    for measure in MEASURES:
        assert first[measure]["peak_bytes"] >= max(first[measure]["begin_bytes"], first[measure]["end_bytes"])
    text = small.strata("report", "out", "--scopes", "--reset", "step=1").stdout
    assert "since step 1" in text
    assert "torch.cuda.max_memory_reserved()" in text
    assert "One moment under all its names" in text


@pytest.mark.parametrize(
    "words, message",
    [
        (["--scopes", "--reset", "step=99"], "--reset step=99: this run recorded steps 0 to"),
        (["--scopes", "--reset", "phase=back"], "the phases there are backward"),
        (["--scopes", "--reset", "epoch"], "expected step=3, phase=backward or step=3,phase=backward"),
        (["--reset", "step=1"], "--scopes"),
    ],
)
def test_resets_that_cannot_be_are_refused(finished, words, message):
    result = finished.strata("report", "out", *words)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_on_the_cpu_the_process_is_the_allocator_and_the_rest(finished):
    told = scopes(finished)
    moment = told["reconciliation"]
    assert moment["device_used_bytes"] is None
    assert moment["resident_bytes"] > moment["allocated_bytes"] > 0
    everything = scope(told, "run")
    assert everything["device_used"] is None
    assert everything["resident"]["peak_bytes"] >= everything["resident"]["end_bytes"] > 20 * MIB
    text = finished.strata("report", "out", "--scopes").stdout
    assert "resident (RSS)" in text
    assert "beside the allocator" in text
    assert "nvidia-smi" not in text


def test_runs_on_the_cpu_do_not_touch_cuda(finished):
    assert finished.query("out", "SELECT count(*) FROM torch_device_memory") == [(0,)]
    assert finished.query("out", "SELECT count(*) > 5 FROM torch_process_memory") == [(1,)]


def test_samples_are_an_option(small):
    summary = run(small, "--dry", "h100-80gb", "trace.memory_samples=none")
    assert summary["reconciliation"]["device_used_bytes"] is None
    assert summary["steps"][0]["peak_resident_bytes"] is None
    assert "outside the allocator" not in small.strata("report", "out").stdout
    assert small.strata("report", "out", "--scopes").returncode == 0
    at_steps = run(small, "--dry", "h100-80gb", "trace.memory_samples=step", out="steps")
    (rows,) = small.query("steps", "SELECT count(*) FROM torch_process_memory")
    assert rows == (3 + 2 * len(at_steps["steps"]),)


def test_a_killed_run_has_the_scopes_that_it_came_to(small):
    process = small.start("run", "small.yaml", "--out", "out", "--dry", "h100-80gb", "schedule={wait: 0, warmup: 0, active: 100000}")
    for line in process.stderr:
        if "step 2" in line:
            break
    process.kill()
    process.wait()
    told = scopes(small)
    assert scope(told, "step 1")["device_used"]["peak_bytes"] > 500 * MIB
    expect_sums(told["reconciliation"])


def test_epochs_have_a_file_of_peaks(small):
    small.write("text.txt", "so it goes. " * 60)
    summary = run(
        small,
        *("--dry", "a100-40gb", "data={source: text, path: text.txt, batch_size: 2}", "model.context=64"),
        *("schedule={wait: 0, warmup: 1, active: 100, epochs: 2}", "trace.cross_check=true"),
    )
    epochs = [each for each in summary["scopes"] if each["kind"] == "epoch"]
    assert [each["index"] for each in epochs] == [0, 1]
    assert small.query("out", "SELECT epoch, step FROM host_epoch") == [
        (each["index"], each["first_step"]) for each in epochs
    ]
    with open(small.folder / "out/epoch_peak_memory.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["epoch"]) for row in rows] == [0, 1]
    for row, told in zip(rows, epochs):
        steps = [step for step in summary["steps"] if step["epoch"] == told["index"]]
        assert len(steps) > 1
        assert int(row["peak_memory_bytes"]) == told["allocated"]["peak_bytes"]
        assert int(row["peak_memory_bytes"]) == max(step["peak_allocated_bytes"] for step in steps)
        assert int(row["peak_reserved_bytes"]) == max(step["peak_reserved_bytes"] for step in steps)
        assert (int(row["first_step"]), int(row["last_step"])) == (steps[0]["index"], steps[-1]["index"])


def test_runs_without_epochs_have_no_such_file(finished):
    assert not (finished.folder / "out/epoch_peak_memory.csv").exists()


def test_exports_have_samples_and_scopes(small):
    summary = run(small, "--dry", "h100-80gb")
    for kind in ("json", "chrome"):
        assert small.strata("export", "out", "--format", kind, "--out", f"out.{kind}").returncode == 0
    exported = json.loads((small.folder / "out.json").read_text())
    assert exported["reconciliation"] == summary["reconciliation"]
    outside = [outside for *_, outside in exported["device_samples"]["rows"]]
    assert outside == sorted(outside)
    assert outside[-1] == summary["dry"]["context_bytes"]["used"]
    assert len(exported["process_samples"]["rows"]) >= len(exported["device_samples"]["rows"]) > 0
    events = json.loads((small.folder / "out.chrome").read_text())["traceEvents"]
    counters = {event["name"] for event in events if event["ph"] == "C"}
    assert {"Device used", "Outside the allocator", "Resident", "Reserved"} <= counters


def test_two_ranks_have_samples_each(small):
    run(small, "world_size=2")
    for rank in (0, 1):
        told = scopes(small, "--rank", str(rank))
        assert scope(told, "run")["resident"]["peak_bytes"] > 20 * MIB


def distilbert(small, *words, out="out"):
    seed = REPOSITORY / "configs/seeds/002-distilbert-rsvd.yaml"
    result = small.strata("run", seed, "--dry", "a100-40gb", "--out", out, "--json", *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# The sum that forward hooks on transformers' leaf modules count (tests/peers/layer_outputs).
OF_HOOKS = 39_327_752


def test_reference_002s_count_of_activations(small):
    """Its table says 37.51 MB for one sequence of 128 tokens. Strata's sum also has the ReLU, which
    transformers does not register."""
    summary = distilbert(small, "data.batch_size=1", "trace.layer_outputs=true", "schedule={wait: 0, warmup: 1, active: 1}")
    estimate = summary["layer_outputs"]
    parts = {part["op"]: (part["calls"], part["bytes"]) for part in estimate["by_op"]}
    relu = parts.pop("aten::relu")
    assert relu == (1, 768 * 4)
    assert estimate["estimated_bytes"] == OF_HOOKS + 768 * 4
    assert f"{estimate['estimated_bytes'] / MIB:.2f}" == "37.51"
    assert parts == {
        "aten::linear": (38, 21_236_744),
        "aten::gelu": (6, 9_437_184),
        "aten::layer_norm": (13, 5_111_808),
        "aten::dropout": (8, 2_755_584),
        "aten::embedding": (2, 786_432),
    }
    assert 0 < estimate["saved_bytes"] <= estimate["activation_bytes"]
    text = small.strata("report", "out", "--scopes").stdout
    assert "estimate: the sum of what layers return" in text


def test_runs_that_did_not_ask_have_no_estimate(finished):
    assert json.loads((finished.folder / "out/summary.json").read_text())["layer_outputs"] is None
