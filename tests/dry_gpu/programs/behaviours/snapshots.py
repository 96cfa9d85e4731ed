# SPDX-License-Identifier: Apache-2.0
"""Snapshots of the allocator and its history."""

import gc
import json
import os
import pickle
import random
import tempfile

import torch
from behaviour import EXPANDABLE, MIB, also_on_expandable_segments, part, perform
from torch.cuda import _memory_viz

FLOATS = (311, 411)
BYTES = 311 * 411 * 4


def record(enabled="all", **options):
    torch.cuda.memory._record_memory_history(enabled, **options)


def _actions():
    return [event["action"] for event in torch.cuda.memory._snapshot()["device_traces"][0]]


def blocks_of(snapshot, requested):
    return [block for segment in snapshot["segments"] for block in segment["blocks"] if block["requested_size"] == requested]


@also_on_expandable_segments
def a_snapshot_adds_up():
    kept = [torch.empty(7 * MIB, dtype=torch.int8, device="cuda"), torch.empty(100, device="cuda")]
    segments = torch.cuda.memory_snapshot()
    assert sum(segment["total_size"] for segment in segments) == torch.cuda.memory_reserved()
    blocks = [block for segment in segments for block in segment["blocks"]]
    allocated = [block for block in blocks if block["state"] == "active_allocated"]
    assert sum(block["size"] for block in allocated) == torch.cuda.memory_allocated()
    assert {block["address"] for block in allocated} == {tensor.data_ptr() for tensor in kept}
    for segment in segments:
        assert segment["total_size"] % (2 * MIB) == 0
        assert segment["is_expandable"] == EXPANDABLE
        ends = [block["address"] + block["size"] for block in segment["blocks"]]
        assert [segment["address"], *ends[:-1]] == [block["address"] for block in segment["blocks"]]
        assert ends[-1] == segment["address"] + segment["total_size"]
    assert set(torch.cuda.memory._snapshot()) >= {"segments", "device_traces", "allocator_settings"}


@also_on_expandable_segments
def a_block_knows_the_frames_that_asked_for_it():
    record("state", stacks="python")
    torch.rand(2 * 311, 411, device="cuda")
    unused = torch.rand(310, 410, device="cuda")
    x = torch.rand(*FLOATS, device="cuda")  # the second block of its segment

    # Many blocks of 512 bytes, freed in any order: their histories are merged with the blocks, and
    # cut off.
    tensors = [torch.rand(128, device="cuda") for _ in range(300)]
    random.Random(3).shuffle(tensors)
    while tensors:
        tensors.pop()
    torch.rand(128 * 5, device="cuda")

    snapshot = torch.cuda.memory._snapshot()
    assert all("frames" in segment for segment in snapshot["segments"])
    (block,) = blocks_of(snapshot, BYTES)
    assert block["frames"][0]["filename"].endswith("snapshots.py")
    assert block["frames"][0]["name"] == "a_block_knows_the_frames_that_asked_for_it"
    assert block["address"] == x.untyped_storage().data_ptr()
    lines = _memory_viz.segments(snapshot, format_flamegraph=lambda text: text)
    assert "snapshots.py" in lines

    del unused, x
    torch.cuda.empty_cache()
    assert _actions()[-1] == ("segment_unmap" if EXPANDABLE else "segment_free")


def frames_may_be_of_c_plus_plus():
    os.environ["TORCH_SYMBOLIZE_MODE"] = "dladdr"  # the names that libraries export; finding the others takes minutes
    record("state", stacks="all")
    kept = torch.rand(*FLOATS, device="cuda")
    (block,) = blocks_of(torch.cuda.memory._snapshot(), BYTES)
    assert any("::rand" in frame["name"] for frame in block["frames"])
    assert block["address"] == kept.data_ptr()


def frames_may_be_of_a_script():
    record("state", stacks="python")

    @torch.jit.script
    def make():
        return torch.rand(311, 411, device="cuda")

    kept = make()
    (block,) = blocks_of(torch.cuda.memory._snapshot(), BYTES)
    assert block["frames"][0]["name"] == "make"
    assert block["address"] == kept.data_ptr()


def a_life_is_told_in_order():
    record(stacks="python")
    x = torch.rand(*FLOATS, device="cuda")
    address = x.data_ptr()
    del x
    torch.cuda.empty_cache()
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    life = [(event["action"], event["size"]) for event in trace if event["action"] != "snapshot"]
    # The generator has its own tensors for seed and offset only with a graph, so this is all.
    assert life == [
        ("segment_alloc", 2 * MIB),
        ("alloc", BYTES),
        ("free_requested", BYTES),
        ("free_completed", BYTES),
        ("segment_free", 2 * MIB),
    ]
    assert {event["addr"] for event in trace if event["action"] != "snapshot"} == {address}


def plots_hold_the_trace_for_each_kind_of_context():
    def run():
        x = torch.rand(128, 128, device="cuda")
        x * x + x * x

    for context, stacks in (("all", "python"), (None, "python")):
        torch.cuda.empty_cache()
        record("all", context=context, stacks=stacks, clear_history=True)
        run()
        snapshot = torch.cuda.memory._snapshot()
        plots = [
            _memory_viz.trace_plot(snapshot),
            _memory_viz.trace_plot(snapshot, filter_freed=True),
            _memory_viz.segment_plot(snapshot),
        ]
        assert all(plot.lstrip().startswith("<") for plot in plots)
        text = json.dumps(snapshot)
        assert ("plots_hold_the_trace_for_each_kind_of_context" in text) == (context is not None)
        assert str(128 * 128 * 4) in text
        record(None)


def stacks_of_frees_are_kept_where_all_are():
    for context in ("alloc", "all", "state"):
        torch.cuda.empty_cache()
        record(context=context, stacks="python", clear_history=True)
        kept = []

        def the_allocation():
            kept.append(torch.rand(3, 4, device="cuda"))

        def the_free():
            kept.clear()

        the_allocation()
        the_free()
        torch.cuda.memory.empty_cache()
        text = json.dumps(torch.cuda.memory._snapshot())
        assert ("the_free" in text) == (context == "all")
        assert ("the_allocation" in text) == (context != "state")
        assert ('"empty_cache"' in text) == (context == "all"), "the same for whole segments"
        record(None)


def context_may_be_switched_while_recording():
    kept = []

    def captured_first():
        kept.append(torch.rand(4, 4, device="cuda"))

    def not_captured():
        kept.append(torch.rand(3, 4, device="cuda"))

    def captured_later():
        kept.append(torch.rand(4, 4, device="cuda"))

    record(context="all", stacks="python")
    captured_first()
    record(context=None)
    not_captured()
    record(context="all", stacks="python")
    captured_later()
    text = json.dumps(torch.cuda.memory._snapshot())
    assert "captured_first" in text
    assert "not_captured" not in text
    assert "captured_later" in text


def events_carry_the_metadata_of_their_time():
    torch.cuda.memory._set_memory_metadata("the metadata")
    record(context="all", stacks="python")
    x = torch.rand(3, 4, device="cuda")
    del x
    torch.cuda.empty_cache()
    torch.cuda.memory._set_memory_metadata("")
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    assert len(trace) >= 5
    assert {event["user_metadata"] for event in trace} == {"the metadata"}


def actions_may_be_left_out_of_the_history():
    everything = {"segment_alloc", "alloc", "free_requested", "free_completed", "segment_free"}
    for left_out in (["free_requested"], ["free_requested", "free_completed"], ["alloc"], ["segment_alloc", "segment_free"], [], None):
        torch.cuda.empty_cache()
        record(context="all", stacks="python", skip_actions=left_out, clear_history=True)
        x = torch.rand(128, 128, device="cuda")
        del x
        torch.cuda.empty_cache()
        assert set(_actions()) - {"snapshot"} == everything - set(left_out or [])
        record(None)


def the_history_is_as_long_as_asked():
    record(max_entries=10, stacks="python")
    for _ in range(40):
        torch.empty(1, device="cuda")
    trace = torch.cuda.memory._snapshot()["device_traces"][0]
    assert len(trace) == 10
    assert {event["action"] for event in trace} <= {"alloc", "free_requested", "free_completed", "snapshot"}


def a_snapshot_is_kept_in_a_file():
    record(stacks="python")
    kept = torch.rand(*FLOATS, device="cuda")
    with tempfile.NamedTemporaryFile() as file:
        torch.cuda.memory._dump_snapshot(file.name)
        snapshot = pickle.load(file)
    (block,) = blocks_of(snapshot, BYTES)
    assert block["address"] == kept.data_ptr()
    assert snapshot["device_traces"][0][-1]["action"] in ("alloc", "snapshot")


def a_cycle_that_holds_a_tensor_is_drawn():
    from torch.utils.viz._cycles import observe_tensor_cycles

    drawn = []
    disarm = observe_tensor_cycles(drawn.append)

    def make_cycle():
        x = torch.empty(3, 4, device="cuda")

        def again(more):
            return again(not more) if more else x

        return again

    def anything():
        pass

    make_cycle()
    gc.collect()
    anything()  # the observer waits for the next function call
    disarm()
    assert len(drawn) == 1
    assert all(word in drawn[0] for word in ("torch.Tensor", "snapshots", "cell_contents"))


def the_profiler_tells_allocations_of_the_device():
    with torch.profiler.profile(with_stack=True, profile_memory=True, record_shapes=True) as profile:
        x = torch.rand(128, 128, device="cuda")
        x * x + x * x
    text = json.dumps(_memory_viz._profile_to_snapshot(profile))
    assert "snapshots.py" in text
    assert "the_profiler_tells_allocations_of_the_device" in text
    assert "category" in text
    with part("a kernel is a row of the profile"):
        assert any(event.device_type == torch.autograd.DeviceType.CUDA for event in profile.events())


if __name__ == "__main__":
    perform(globals())
