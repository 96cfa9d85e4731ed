# SPDX-License-Identifier: Apache-2.0
"""Behaviours over cudaMallocAsync. test_behaviours.py runs them in processes that have it as their
allocator."""

import torch
from behaviour import MIB, part, perform, raises

GIB = 1 << 30


def int8(count):
    return torch.empty(count, dtype=torch.int8, device="cuda")


def the_allocator_is_the_runtimes():
    assert torch.cuda.get_allocator_backend() == "cudaMallocAsync"


def the_message_says_what_was_tried_and_the_device_goes_on():
    tensor = torch.zeros(1024, device="cuda")
    with raises(torch.OutOfMemoryError, "Allocation on device 0 would exceed allowed memory"):
        int8(800_000_000 * GIB)
    before = torch.cuda.memory_allocated()
    tensor.fill_(1)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before
    with part("the fill"):
        assert bool((tensor == 1).all())


def a_fraction_is_a_limit():
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(0.5, 0)
    almost = int8(int(total * 0.499))
    del almost
    torch.cuda.empty_cache()
    with raises(torch.OutOfMemoryError, "would exceed allowed memory"):
        int8(int(total * 0.5) + 2 * MIB)


def a_capture_fails_with_the_same_error():
    with raises(torch.OutOfMemoryError, "would exceed allowed memory"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        torch.zeros(1 << 40, device="cuda")


def bytes_are_counted_in_blocks_of_512():
    kept = [int8(1000), int8(3 * MIB)]
    assert torch.cuda.memory_allocated() == 1024 + 3 * MIB
    reserved = torch.cuda.memory_reserved()
    assert torch.cuda.memory_allocated() <= reserved
    kept.clear()
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == 0
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 0


def settings_of_the_other_allocator_change_nothing():
    torch.cuda.memory._set_allocator_settings("roundup_power2_divisions:4,max_split_size_mb:40")
    before = torch.cuda.memory_allocated()
    kept = torch.rand(21 * MIB, device="cuda")
    assert torch.cuda.memory_allocated() - before == kept.nbytes


def a_graph_allocates_and_replays():
    stream = torch.cuda.Stream()
    a = torch.full((1000,), 1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.capture_begin()
        b = a
        for _ in range(10):
            b = b + 1
        graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)
    graph.replay()
    torch.cuda.synchronize()
    assert b.shape == (1000,)
    with part("the sum"):
        assert b.sum().item() == 11000


def history_and_snapshots_are_refused():
    with raises(RuntimeError, "does not yet support"):
        torch.cuda.memory._record_memory_history()
    with raises(RuntimeError, "is not meaningful"):
        torch.cuda.memory_snapshot()


if __name__ == "__main__":
    perform(globals())
