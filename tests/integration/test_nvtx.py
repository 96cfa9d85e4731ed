# SPDX-License-Identifier: Apache-2.0
"""The ranges that nvtx_markers sends to a tool in a real run: as many as the store has rows, with
the same numbers."""

import collections
import json
import pathlib
import signal

import pytest
from workspaces import STRATA
from stored_ranges import StoredRanges

RECORDER = pathlib.Path(STRATA).parents[1] / "tests/nvtx_markers/nvtx_recorder.so"
CONFIG = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 64, context: 16}
data: {source: synthetic, batch_size: 2}
accumulation: 2
schedule: {wait: 1, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer, nvtx_markers]
"""


class Told:
    """The calls that the recorder wrote."""

    def __init__(self, file):
        self.events = [json.loads(line) for line in file.read_text().splitlines()]

    def of(self, event):
        return [one for one in self.events if one["event"] == event]

    def ranges(self, event, *, category=None):
        return collections.Counter(
            (one["message"], one.get("payload"))
            for one in self.of(event)
            if category is None or one["category"] == category
        )

    def still_open(self):
        """Return threads that pushed more than they popped, and process ranges that were never
        ended."""
        depths = collections.Counter()
        for one in self.events:
            depths[one["thread"]] += (one["event"] == "push") - (one["event"] == "pop")
            assert depths[one["thread"]] >= 0, "a pop without its push"
        open_ranges = {one["id"]: one["message"] for one in self.of("start")}
        for one in self.of("end"):
            del open_ranges[one["id"]]
        return {thread: depth for thread, depth in depths.items() if depth}, open_ranges


@pytest.fixture
def recorded(workspace):
    assert RECORDER.exists(), f"{RECORDER} is built with the tests"
    workspace.write("small.yaml", CONFIG)

    def run(*words, code=0, extensions="all"):
        result = workspace.strata("run", "small.yaml", "--out", "out", *words, **environment(workspace, extensions))
        assert result.returncode == code, result.stderr
        workspace.result = result
        return Told(workspace.folder / "told"), StoredRanges(workspace.folder / "out")

    run.workspace = workspace
    return run


def environment(workspace, extensions="all"):
    return {
        "NVTX_INJECTION64_PATH": str(RECORDER),
        "STRATA_TEST_NVTX_FILE": str(workspace.folder / "told"),
        "STRATA_TEST_NVTX_EXTENSIONS": extensions,
    }


@pytest.mark.smoke
def test_each_row_of_the_store_is_a_range(recorded):
    told, stored = recorded()
    assert told.ranges("start") == stored.loop_ranges() + collections.Counter({("window", 2): 1})
    assert told.ranges("push") == stored.loop_ranges() + stored.layers()
    assert told.still_open() == ({}, {})
    assert sum(stored.layers().values()) > 100
    assert stored.loop_ranges()["micro-batch", 1] == 4

    ends = [one["end"] for one in told.of("pop") if one.get("end", {}).get("tokens")]
    assert [(end["step"], end["tokens"]) for end in ends] == [(step, tokens) for step, _, tokens in stored.steps]
    assert len([one for one in told.of("domain_create") if one["domain"] == "strata"]) == 1
    (driver,) = told.of("thread_name")
    assert (driver["named"], driver["message"]) == (stored.driver, "loop thread")


@pytest.mark.parametrize("device", [[], ["--dry", "h100-80gb"]], ids=["cpu", "dry"])
def test_each_layer_is_a_range_in_backward_too(recorded, device):
    told, stored = recorded(*device)
    ranges = told.ranges("push", category=4)
    backward = {key: count for key, count in ranges.items() if key[0].endswith(" backward")}
    assert backward == {(f"{path} backward", step): count for (path, step), count in ranges.items() if not path.endswith(" backward")}
    assert ("layers.0.attn backward", 2) in backward
    threads = {one["thread"] for one in told.of("push") if one["message"].endswith(" backward")}
    assert len(threads) == 1
    assert (stored.driver in threads) == (not device)


def test_a_tool_without_extensions_gets_marks(recorded):
    told, stored = recorded(extensions="none")
    assert told.ranges("push") == stored.loop_ranges() + stored.layers()
    assert told.still_open() == ({}, {})
    assert not told.of("sample") and not told.of("schema")
    marks = told.ranges("mark", category=1)
    assert sorted(marks) == [("tokens", tokens) for tokens in sorted({tokens for _, _, tokens in stored.steps})]
    assert sum(marks.values()) == len(stored.steps)
    assert sum(told.ranges("mark", category=5).values()) == len(stored.steps) + len(stored.phases)


def test_a_tool_that_takes_schemas_and_no_payloads_still_gets_its_pops(recorded):
    told, stored = recorded(extensions="schemas")
    assert told.ranges("push") == stored.loop_ranges() + stored.layers()
    assert told.still_open() == ({}, {})


def test_on_the_dry_gpu_memory_is_torchs_own(recorded):
    told, stored = recorded("--dry", "h100-80gb", "trace.cross_check=true", "checkpointing=block")
    assert told.ranges("push") == stored.loop_ranges() + stored.layers()
    assert told.still_open() == ({}, {})
    threads = {thread for *_, thread, _, _ in stored.modules}
    assert len(threads) == 2, "autograd's, which recomputes"
    names = {one["message"] for one in told.of("thread_name")}
    assert names == {"loop thread", "pt_autograd_0"}

    # torch's counts at each step's end, compared with those at the end of the step's range.
    stats = recorded.workspace.query(
        "out",
        "SELECT allocated_bytes, reserved_bytes FROM torch_device_stats JOIN step ON sequence = end_sequence"
        " ORDER BY step",
    )
    ends = [one["end"] for one in told.of("pop") if one.get("end", {}).get("tokens")]
    assert [(end["allocated_bytes"], end["reserved_bytes"]) for end in ends] == stats
    assert len(stats) == len(stored.steps)
    samples = collections.defaultdict(list)
    for one in told.of("sample"):
        samples[one["message"]].append(one["value"])
    assert {"allocated cuda:0", "reserved cuda:0", "allocated cpu"} <= samples.keys()
    peak = recorded.workspace.query(
        "out", "SELECT max(peak_allocated_bytes), max(peak_reserved_bytes) FROM torch_device_stats"
    )
    assert peak == [(max(samples["allocated cuda:0"]), max(samples["reserved cuda:0"]))]


def test_segments_are_heaps_when_asked(recorded):
    told, _ = recorded("--dry", "h100-80gb", "plugins=[{nvtx_markers: {heaps: true}}]")
    heaps, regions = told.of("heap"), told.of("region")
    assert heaps and len(regions) > 100
    where = {heap["address"]: heap["bytes"] for heap in heaps}
    for region in regions:
        assert 0 <= region["address"] - region["heap"] <= where[region["heap"]] - region["bytes"]
    assert len(told.of("region_end")) > 0.5 * len(regions)


def test_a_capture_has_the_active_steps_alone(recorded):
    told, stored = recorded("plugins=[allocator_tracer, {nvtx_markers: {capture: nvtx}}]")
    active = {step for step, schedule, _ in stored.steps if schedule == 2}
    assert active == {2, 3}
    assert told.ranges("push") == stored.loop_ranges(only=active) + stored.layers(only=active)
    assert told.still_open() == ({}, {})
    order = [(one["event"], one.get("message")) for one in told.events if one["event"] in ("start", "end")]
    assert order[0] == ("start", "window")
    assert order[-1][0] == "end"
    assert told.of("end")[-1]["id"] == told.of("start")[0]["id"], "the window is what ends last"


# The programs run out of memory in forward, on the loop's thread, and while backward recomputes, on
# autograd's thread.
OUT_OF_MEMORY = {
    "forward": ["model={name: gpt2, size: small}", "data={batch_size: 64}"],
    "backward": [
        "model={size: custom, layers: 2, d_model: 256, d_ff: 512, heads: 16, vocab: 256, context: 2048}",
        "data={source: synthetic, batch_size: 32}",
        "checkpointing=block",
    ],
}


@pytest.mark.parametrize("phase", OUT_OF_MEMORY)
def test_nothing_stays_open_when_memory_runs_out(recorded, phase):
    told, stored = recorded("--dry", "a100-40gb", *OUT_OF_MEMORY[phase], code=3)
    assert stored.phases[-1][0] == phase
    *_, thread, _, _ = stored.modules[-1]
    assert (thread == stored.driver) == (phase == "forward")
    assert told.ranges("push") == stored.loop_ranges() + stored.layers()
    assert told.still_open() == ({}, {})


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_stays_open_when_a_signal_ends_the_run(workspace, monkeypatch, number, code):
    workspace.write("small.yaml", CONFIG)
    for name, value in environment(workspace).items():
        monkeypatch.setenv(name, value)
    process = workspace.start("run", "small.yaml", "schedule.active=1000000", "--out", "out")
    for line in process.stderr:
        if line.startswith("step 1/"):
            break
    process.send_signal(number)
    _, said = process.communicate(timeout=300)
    assert process.returncode == code, said
    told = Told(workspace.folder / "told")
    stored = StoredRanges(workspace.folder / "out")
    assert told.still_open() == ({}, {})
    assert told.ranges("push") == stored.loop_ranges() + stored.layers()


def test_without_a_tool_it_listens_to_nothing_and_says_so(workspace):
    workspace.write("small.yaml", CONFIG)
    result = workspace.strata("run", "small.yaml", "--out", "out", STRATA_VERBOSE="1", NVTX_INJECTION64_PATH="")
    assert result.returncode == 0
    assert "no tool listens to NVTX" in result.stderr
    (plugin,) = [
        one
        for one in json.loads((workspace.folder / "out/manifest.json").read_text())["plugins"]
        if one["id"] == "nvtx_markers"
    ]
    assert plugin["status"] == "ok", plugin


def test_a_capture_by_cudas_switch_needs_no_tool_that_knows_nvtx(recorded):
    recorded(
        "--dry",
        "h100-80gb",
        "plugins=[allocator_tracer, {nvtx_markers: {capture: cuda_profiler_api}}]",
    )
    assert "captures nothing" not in recorded.workspace.result.stderr
    assert "not implemented" not in recorded.workspace.result.stderr


def test_a_capture_by_cudas_switch_says_that_a_run_on_the_cpu_has_none(recorded):
    recorded("plugins=[allocator_tracer, {nvtx_markers: {capture: cuda_profiler_api}}]")
    assert "capture: cuda_profiler_api captures nothing" in recorded.workspace.result.stderr
