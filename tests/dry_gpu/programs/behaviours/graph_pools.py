# SPDX-License-Identifier: Apache-2.0
"""Private pools of graphs: the memory that captures take, share and leave."""

import gc

import torch
from behaviour import EXPANDABLE, MIB, also_on_expandable_segments, part, perform

SMALL_SEGMENT, LARGE_SEGMENT = 2 * MIB, 20 * MIB


def statistic(name):
    return torch.cuda.memory_stats()[name]


def captured(body, *pool, stream=None):
    """Return the graph of the work that `body` submits, on its own stream."""
    graph = torch.cuda.CUDAGraph()
    stream = stream or torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.capture_begin(*pool)
        result = body()
        graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)
    return graph, result


def with_temporaries(tensor, value):
    return (tensor.clone() + value) + (tensor.clone() + value)


def captured_products_share_their_workspace():
    """30 captures of a product take no more device memory than the first."""
    torch.backends.cuda.preferred_blas_library("cublas")
    a, b = torch.rand(1024, 512, device="cuda"), torch.rand(512, 64, device="cuda")
    torch.mm(a, b)

    def once():
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            torch.mm(a, b)
        graph.replay()

    once()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(30):
        once()
    assert before - torch.cuda.mem_get_info()[0] <= 100_000_000


@also_on_expandable_segments
def successive_graphs_share_a_pool_when_reported():
    """With a shared pool there is one small segment less, whichever way the pool is named."""
    reserved = {}
    for sharing in ("no", "by the first graph's", "by a handle"):
        handle = (torch.cuda.graph_pool_handle(),) if sharing == "by a handle" else ()
        stream = torch.cuda.Stream()
        a = torch.ones(1000, device="cuda")

        def five_times(tensor):
            for _ in range(5):
                tensor = with_temporaries(tensor, 1)
            return tensor

        first, b = captured(lambda: five_times(a.clone()), *handle, stream=stream)
        pool = (first.pool(),) if sharing == "by the first graph's" else handle
        second, b = captured(lambda: five_times(b), *pool, stream=stream)
        c = a.clone()
        for graph in (first, second):
            c = with_temporaries(with_temporaries(c, 3), 3)
            graph.replay()
        c = with_temporaries(with_temporaries(c, 3), 3)
        with part("the sums"):
            assert (b.sum().item(), c.sum().item()) == (3070 * 1000, 442 * 1000)
        reserved[sharing] = statistic("reserved_bytes.all.current")
        del a, b, c, first, second, graph
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    assert reserved["no"] - reserved["by the first graph's"] == SMALL_SEGMENT
    assert reserved["no"] - reserved["by a handle"] == SMALL_SEGMENT


def a_later_graph_of_a_pool_uses_what_an_earlier_one_freed():
    for sharing in (False, True):
        stream = torch.cuda.Stream()
        pool = (torch.cuda.graph_pool_handle(),) if sharing else ()
        kept = {}
        a = torch.ones(1000, device="cuda")

        def first():
            b = a.clone()
            kept["c"], kept["d"] = b + 1, b + 2

        def second():
            kept["e"] = kept["c"] + 3
            del kept["c"]

        def third():
            kept["f"] = kept["d"] + 4

        graphs = [captured(first, *pool, stream=stream)[0]]
        c = kept["c"].data_ptr()
        graphs += [captured(each, *pool, stream=stream)[0] for each in (second, third)]
        assert (kept["f"].data_ptr() == c) == sharing
        for graph in graphs:
            graph.replay()
        with part("the sums"):
            assert (kept["e"].sum().item(), kept["f"].sum().item()) == (5000, 7000)


def replays_of_a_shared_pool_may_run_side_by_side():
    for sharing in (False, True):
        pool = (torch.cuda.graph_pool_handle(),) if sharing else ()
        stream = torch.cuda.Stream()
        a = torch.ones(100_000, device="cuda")
        first, b = captured(lambda: with_temporaries(a.clone(), 1), *pool, stream=stream)
        second, c = captured(lambda: with_temporaries(a.clone(), 2), *pool, stream=stream)
        for graph in (first, second):
            with torch.cuda.stream(torch.cuda.Stream()):
                graph.replay()
        torch.cuda.synchronize()
        blocks = [
            block["address"]
            for segment in torch.cuda.memory_snapshot()
            if segment["segment_pool_id"] in (first.pool(), second.pool())
            for block in segment["blocks"]
            if block["state"] == "active_allocated"
        ]
        assert sorted(blocks) == sorted([b.data_ptr(), c.data_ptr()]), "what outlives its capture is apart in any case"
        assert (first.pool() == second.pool()) == sharing


@also_on_expandable_segments
def results_outlive_their_graph():
    """Sizes at each edge of the allocator's rules: the memory that the capture took, and what its
    result holds once the graph is gone."""
    whole = 12 * MIB  # above 10 MiB a block has its own segment, rounded to 2 MiB
    cases = (
        # floats, segments of the capture, their bytes, bytes that stay for the result, pool
        (512 // 4, 1, SMALL_SEGMENT, SMALL_SEGMENT, "small_pool"),
        (MIB // 4, 2, 2 * SMALL_SEGMENT, SMALL_SEGMENT, "small_pool"),
        ((MIB + 512) // 4, 1, LARGE_SEGMENT, LARGE_SEGMENT, "large_pool"),
        ((10 * MIB - 512) // 4, 2, 2 * LARGE_SEGMENT, LARGE_SEGMENT, "large_pool"),
        ((10 * MIB + 512) // 4, 3, 3 * whole, whole, "large_pool"),
    )
    stream = torch.cuda.Stream()
    for number, (count, segments, bytes, bytes_left, pool) in enumerate(cases):

        def difference(before, pool=pool):
            now = torch.cuda.memory_stats()
            names = ("segment", "reserved_bytes", "active", "active_bytes")
            return [now[f"{name}.{pool}.current"] - before[f"{name}.{pool}.current"] for name in names]

        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            a = torch.ones(count, device="cuda")
            before = torch.cuda.memory_stats()
            graph = torch.cuda.CUDAGraph()
            graph.capture_begin()
            b = a.clone()
            for _ in range(5):
                b = b.clone() + 1
            graph.capture_end()
        torch.cuda.current_stream().wait_stream(stream)
        gc.collect()

        # While a graph exists, the generator's seed and offset take two more small blocks.
        extra = 2 if pool == "small_pool" else 0
        expected = [segments, bytes, 1 + extra, count * 4 + 512 * extra]
        left = [1, bytes_left, 1, count * 4]
        if EXPANDABLE:
            # Expandable segments are not counted, and pages of 20 MiB are not returned in part.
            expected[0] = left[0] = 0
            if number >= 3:
                expected[1] = 2 * LARGE_SEGMENT
                left[1] = (2 if number == 3 else 1) * LARGE_SEGMENT
        for _ in range(2):
            assert difference(before) == expected
            graph.replay()
            torch.cuda.empty_cache()
        del graph
        gc.collect()
        torch.cuda.empty_cache()
        assert difference(before) == left
        with part("the result"):
            assert b.sum().item() == 6 * count
        del a, b
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 0


def memory_of_a_graph_comes_back_with_it():
    x = torch.ones(MIB, device="cuda")
    before = torch.cuda.memory_reserved()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
        z = y * 2
    graph.replay()
    assert torch.cuda.memory_reserved() > before
    assert z.numel() == MIB
    del y, z
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() > before, "the graph may be replayed"
    del graph
    gc.collect()
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == before


def blocks_that_wait_for_a_stream_are_left_alone_while_capturing():
    waiting = torch.zeros(3, device="cuda")
    a = torch.zeros(3, device="cuda")
    streams = [torch.cuda.Stream() for _ in range(3)]
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.stream(streams[0]):
        waiting.record_stream(streams[0])
        waiting.fill_(1.0)
    address = waiting.data_ptr()
    del waiting
    with torch.cuda.stream(streams[1]):
        graph.capture_begin()
        b = a.clone()  # must not query the event of `waiting`, because that would end the capture
        streams[2].wait_stream(streams[1])
        with torch.cuda.stream(streams[2]):
            b.fill_(1.0)
            b.record_stream(streams[2])
            del b
        streams[1].wait_stream(streams[2])
        graph.capture_end()
    torch.cuda.synchronize()
    assert torch.zeros(3, device="cuda").data_ptr() == address, "and is free again after it"


def a_block_is_used_again_once_its_streams_have_joined():
    torch.cuda.memory._set_allocator_settings("graph_capture_record_stream_reuse:True")
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    torch.cuda.synchronize()
    with torch.cuda.stream(first):
        graph.capture_begin()
        sink = torch.empty(8, device="cuda")
        data = torch.empty(8, device="cuda")
        address = data.data_ptr()
        second.wait_stream(first)
        with torch.cuda.stream(second):
            other = torch.empty_like(data)
            torch.add(data, 2.0, out=other)
            data.record_stream(second)
        del data
        before = torch.empty(8, device="cuda")
        first.wait_stream(second)
        sink.fill_(1.0)
        after = torch.empty(8, device="cuda")
        graph.capture_end()
    assert before.data_ptr() != address
    assert after.data_ptr() == address


def a_block_waits_for_all_of_its_streams():
    torch.cuda.memory._set_allocator_settings("graph_capture_record_stream_reuse:True")
    streams = [torch.cuda.Stream() for _ in range(4)]
    first = streams[0]
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    torch.cuda.synchronize()
    with torch.cuda.stream(first):
        graph.capture_begin()
        data = torch.ones(8, device="cuda")
        address = data.data_ptr()
        sinks = [torch.empty_like(data) for _ in range(2)]
        others = []
        for stream in streams[1:]:
            stream.wait_stream(first)
            with torch.cuda.stream(stream):
                others.append(torch.empty_like(data))
                torch.add(data, 2.0, out=others[-1])
                data.record_stream(stream)
        del data
        first.wait_stream(streams[1])
        sinks[0].fill_(1.0)
        streams[2].wait_stream(streams[3])
        with torch.cuda.stream(streams[2]):
            sinks[1].fill_(3.0)
            sinks[1].record_stream(streams[2])
        before = torch.empty(8, device="cuda")
        first.wait_stream(streams[2])
        sinks[0].add_(sinks[1])
        after = torch.empty(8, device="cuda")
        graph.capture_end()
    assert before.data_ptr() != address, "two of the three have joined"
    assert after.data_ptr() == address


def a_stream_that_joins_allocates_from_the_pool():
    existing = {segment["segment_pool_id"] for segment in torch.cuda.memory_snapshot()}
    x = torch.randn(10_240_000, device="cuda")
    y = torch.rand_like(x)
    existing |= {segment["segment_pool_id"] for segment in torch.cuda.memory_snapshot()}
    graph = torch.cuda.CUDAGraph()
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    first.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(first):
        graph.capture_begin()
        z = x + y
    with torch.cuda.stream(second):
        second.wait_stream(first)
        z + y
    first.wait_stream(second)
    with torch.cuda.stream(first):
        graph.capture_end()
    pools = [segment["segment_pool_id"] for segment in torch.cuda.memory_snapshot()]
    new = [pool for pool in pools if pool not in existing]
    assert len(new) == 2
    assert new[0] == new[1]


def graphed_callables_share_a_pool_and_keep_their_gradients_apart():
    pool = torch.cuda.graph_pool_handle()
    modules = [torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda() for _ in range(2)]
    example = torch.randn(16, 32, device="cuda")
    graphed = [torch.cuda.make_graphed_callables(module, (example,), pool=pool) for module in modules]
    for module in graphed:
        module(torch.randn(16, 32, device="cuda")).norm().backward()
    addresses = [parameter.grad.data_ptr() for module in graphed for parameter in module.parameters()]
    assert len(set(addresses)) == 8
    pools = [segment["segment_pool_id"] for segment in torch.cuda.memory_snapshot()]
    assert {each for each in pools if each != (0, 0)} == {pool}


def each_generator_of_a_graph_holds_two_blocks():
    def blocks_and_bytes():
        return statistic("active.all.current"), statistic("active_bytes.all.current")

    def one_case(graph_count, generator_count):
        before = blocks_and_bytes()
        default = torch.cuda.default_generators[0]
        generators = [default.graphsafe_get_state(), *(default.clone_state() for _ in range(generator_count - 1))]
        graphs = [torch.cuda.CUDAGraph() for _ in range(graph_count)]
        for graph in graphs:
            for generator in generators:
                graph.register_generator_state(generator)
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                graph.capture_begin()
                torch.rand(1, device="cuda")
                graph.capture_end()
            torch.cuda.current_stream().wait_stream(stream)
            graph.replay()
        after = blocks_and_bytes()
        assert after[0] - before[0] == 2 * generator_count, "its seed and its offset, whatever the number of graphs"
        assert after[1] - before[1] == 2 * 512 * generator_count
        graphs.clear()
        del graph
        gc.collect()
        torch.cuda.empty_cache()
        assert blocks_and_bytes() == before

    torch.cuda.init()
    one_case(1, 1)
    one_case(3, 2)
    one_case(10, 20)


if __name__ == "__main__":
    perform(globals())
