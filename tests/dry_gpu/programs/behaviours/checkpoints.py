# SPDX-License-Identifier: Apache-2.0
"""Saving and restoring the state of a graph's pool, which trees of graphs rely on."""

import gc
import threading

import torch
from behaviour import EXPANDABLE, MIB, also_on_expandable_segments, part, perform

SMALLEST, SMALL, SMALL_SEGMENT, LARGE_SEGMENT = 512, MIB, 2 * MIB, 20 * MIB


def int8(size):
    return torch.ones([size], device="cuda", dtype=torch.uint8)


def segments_of(pool):
    return [segment for segment in torch.cuda.memory_snapshot() if segment["segment_pool_id"] == pool]


def live_blocks(pool):
    return sum(block["state"] == "active_allocated" for segment in segments_of(pool) for block in segment["blocks"])


def captured(body, *arguments, pool=None):
    """Capture a graph and return it with its outputs, after one run outside on the same stream."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        body(*arguments)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, pool=pool):
        outputs = body(*arguments)
    return graph, outputs


def state_of(pool):
    return torch._C._cuda_getCheckpointState(0, pool)


def set_back(state, stale=(), owners=()):
    storages = [[tensor.untyped_storage()._cdata for tensor in tensors] for tensors in (stale, owners)]
    torch._C._cuda_setCheckpointPoolState(0, state, *storages)


def same_as(before, pool):
    """Check that each segment of `before` exists again, block for block; there may be more."""
    after = {segment["address"]: segment for segment in segments_of(pool)}
    names = ("device", "total_size", "allocated_size", "active_size", "segment_type", "segment_pool_id")
    for segment in before:
        now = after[segment["address"]]
        assert {name: now[name] for name in names} == {name: segment[name] for name in names}
        blocks = [[(block["size"], block["state"]) for block in each["blocks"]] for each in (segment, now)]
        assert blocks[0] == blocks[1]
    return True


def _many_sizes():
    x = torch.zeros([8 * SMALL], device="cuda", dtype=torch.uint8)
    x = x + x
    x1 = int8(SMALL) + int8(SMALL) + int8(SMALL)
    return x, int8(SMALL) + x1, int8(SMALL)


def _eleven(*chosen):
    def make():
        buffers = [int8(SMALLEST) for _ in range(11)]
        return tuple(buffers[index] for index in chosen)

    return make


@also_on_expandable_segments
def a_state_set_back_is_the_state():
    """Blocks of all kinds of sizes; one in the middle of a segment; two; two side by side."""
    for body in (_many_sizes, _eleven(5), _eleven(5, 8), _eleven(5, 6)):
        graph, outputs = captured(body)
        before = segments_of(graph.pool())
        assert len(before) >= 1
        set_back(state_of(graph.pool()))
        assert same_as(before, graph.pool())
        del graph, outputs
        torch.cuda.synchronize()
        gc.collect()
        torch.cuda.empty_cache()
        assert [segment for segment in torch.cuda.memory_snapshot() if segment["segment_pool_id"] != (0, 0)] == []


@also_on_expandable_segments
def what_came_after_a_state_is_freed_with_it():
    first, outputs = captured(lambda: (int8(SMALLEST),))
    pool = first.pool()
    before = segments_of(pool)
    state = state_of(pool)
    second, later = captured(lambda: (int8(SMALLEST),), pool=pool)
    assert live_blocks(pool) == 2
    set_back(state, stale=later)
    del later
    assert same_as(before, pool)
    assert live_blocks(pool) == len(outputs) == 1
    assert second.pool() == pool


@also_on_expandable_segments
def blocks_live_again_though_their_tensors_are_gone():
    graph, outputs = captured(lambda: (int8(SMALLEST), int8(SMALLEST)))
    pool = graph.pool()
    state = state_of(pool)
    addresses = [output.data_ptr() for output in outputs]
    del outputs
    assert live_blocks(pool) == 0
    set_back(state)
    assert live_blocks(pool) == 2
    for left, address in ((1, addresses[0]), (0, addresses[1])):
        torch._C._cuda_cudaCachingAllocator_raw_delete(address)
        assert live_blocks(pool) == left


@also_on_expandable_segments
def tensors_made_of_addresses_can_own_their_blocks_again():
    def body(x):
        return int8(SMALL_SEGMENT) + x, int8(SMALL_SEGMENT) + x, int8(LARGE_SEGMENT) + x

    def again(known):
        address, bytes, dtype, shape = known
        storage = torch._C._construct_storage_from_data_pointer(address, torch.device("cuda", 0), bytes)
        return torch.empty([0], device="cuda", dtype=dtype).set_(storage, 0, shape)

    one = torch.tensor([1], device="cuda", dtype=torch.uint8)
    graph, outputs = captured(body, one)
    pool = graph.pool()
    graph.replay()
    state = state_of(pool)
    known = [(output.data_ptr(), output.nbytes, output.dtype, output.shape) for output in outputs]
    assert live_blocks(pool) == 3
    del outputs
    assert live_blocks(pool) == 0
    tensors = [again(each) for each in known]
    assert [tensor.data_ptr() for tensor in tensors] == [each[0] for each in known]
    with part("the sums"):
        assert [tensor.float().mean().item() for tensor in tensors] == [2, 2, 2]
    set_back(state, owners=tensors[:2])
    for owned, left in ((None, 3), (0, 2), (1, 1), (2, 1)):  # the third tensor owns nothing
        if owned is not None:
            tensors[owned] = None
        assert live_blocks(pool) == left
    torch._C._cuda_cudaCachingAllocator_raw_delete(known[2][0])
    assert live_blocks(pool) == 0


@also_on_expandable_segments
def live_addresses_of_a_pool_can_be_checked():
    pool = torch.cuda.graph_pool_handle()
    graph, outputs = captured(lambda: torch.ones([4], device="cuda"), pool=pool)

    def are(addresses):
        return torch._C._cuda_checkPoolLiveAllocations(0, pool, addresses)

    assert graph.pool() == pool
    assert are({outputs.data_ptr()})
    assert not are({outputs.data_ptr(), 0})
    assert not are(set())
    del outputs
    assert are(set())


@also_on_expandable_segments
def one_thread_allocates_to_a_pool_and_the_other_does_not():
    pool = torch.cuda.graph_pool_handle()
    graph, outputs = captured(lambda: torch.rand([4], device="cuda"), pool=pool)
    del outputs
    assert len(segments_of(pool)) == 1

    def three():
        a, b = int8(LARGE_SEGMENT), int8(LARGE_SEGMENT)
        return a + b

    def to_the_pool():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch._C._cuda_beginAllocateCurrentThreadToPool(0, pool)
            for _ in range(10):
                three()
            torch._C._cuda_endAllocateToPool(0, pool)
            torch._C._cuda_releasePool(0, pool)
        torch.cuda.current_stream().wait_stream(stream)
        three()

    def elsewhere():
        for _ in range(10):
            three()

    threads = [threading.Thread(target=body) for body in (to_the_pool, elsewhere)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The capture's small segment and three large ones, or one expandable segment.
    assert len(segments_of(pool)) == (2 if EXPANDABLE else 4)
    del graph
    torch.cuda.synchronize()
    gc.collect()
    torch.cuda.empty_cache()
    assert segments_of(pool) == []


if __name__ == "__main__":
    perform(globals())
