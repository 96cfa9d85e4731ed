# SPDX-License-Identifier: Apache-2.0
"""Captures and replays: what a graph keeps, its events and generators, and what is rejected during
a capture."""

import ctypes
import os
import tempfile
import threading
import time
import warnings

import torch
from behaviour import part, perform, raises


def a_stream_knows_that_it_captures():
    stream = torch.cuda.Stream()
    assert not torch.cuda.is_current_stream_capturing()
    with torch.cuda.stream(stream):
        graph = torch.cuda.CUDAGraph()
        assert not torch.cuda.is_current_stream_capturing()
        graph.capture_begin()
        assert torch.cuda.is_current_stream_capturing()
        torch.ones(1, device="cuda")
        graph.capture_end()
    assert not torch.cuda.is_current_stream_capturing()


def _nodes_of(graph):
    """Return the types of the nodes of a graph that was kept, as the runtime reports them."""
    runtime = ctypes.CDLL("libcudart.so.13")
    count = ctypes.c_size_t()
    handle = ctypes.c_void_p(graph.raw_cuda_graph())
    assert runtime.cudaGraphGetNodes(handle, None, ctypes.byref(count)) == 0
    nodes = (ctypes.c_void_p * count.value)()
    assert runtime.cudaGraphGetNodes(handle, nodes, ctypes.byref(count)) == 0
    types = []
    for node in nodes:
        kind = ctypes.c_int()
        assert runtime.cudaGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind)) == 0
        types.append(kind.value)
    return types


def a_capture_keeps_each_operation():
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    a = torch.zeros(2000, device="cuda")
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        b = a
        for _ in range(10):
            b = b + 1
    assert _nodes_of(graph) == [0] * 10, "ten kernels, and no one else's work"
    graph.replay()
    with part("the sum"):
        assert b.sum().item() == 20000


def a_graph_is_captured_again_after_its_reset():
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    x = torch.zeros(2000, device="cuda")
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        x += 1.0
    graph.instantiate()
    graph.replay()
    graph.instantiate()
    graph.replay()
    graph.replay()
    with part("the first replays"):
        assert bool((x == 3).all())
    graph.reset()
    y = torch.zeros(2000, device="cuda")
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        y += 2.0
        y += 2.0
    assert _nodes_of(graph) == [0, 0]
    graph.instantiate()
    graph.replay()
    with part("the last replay"):
        assert bool((y == 4).all())


def the_raw_graph_is_for_those_who_keep_it():
    def add(graph):
        x, y = torch.zeros(2000, device="cuda"), torch.ones(2000, device="cuda")
        with torch.cuda.graph(graph, capture_error_mode="relaxed"):
            x + y
        return graph

    discarded = add(torch.cuda.CUDAGraph(keep_graph=False))
    with raises(RuntimeError, r"instantiate\(\) is intended to be called by the user only when keep_graph=true"):
        discarded.instantiate()
    with raises(RuntimeError, r"cannot access the raw .*Graph_t instance unless CUDAGraph was initialized with keep_graph=true"):
        discarded.raw_cuda_graph()
    assert discarded.raw_cuda_graph_exec() != 0
    kept = add(torch.cuda.CUDAGraph(keep_graph=True))
    with raises(RuntimeError, r"cannot access the raw .*GraphExec_t instance until instantiate\(\) has been called"):
        kept.raw_cuda_graph_exec()
    kept.instantiate()
    assert kept.raw_cuda_graph_exec() not in (0, kept.raw_cuda_graph())
    kept.replay()


def the_flags_of_an_executable_graph_can_be_read():
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    x = torch.zeros(2000, device="cuda")
    with torch.cuda.graph(graph):
        x += 1
    graph.instantiate()
    flags = ctypes.c_ulonglong(99)
    runtime = ctypes.CDLL("libcudart.so.13")
    assert runtime.cudaGraphExecGetFlags(ctypes.c_void_p(graph.raw_cuda_graph_exec()), ctypes.byref(flags)) == 0
    # PyTorch lets each launch free memory of the graph's own allocation nodes (1), and keeps
    # priorities (8).
    assert flags.value == 1 | 8


def a_replay_advances_the_generator_as_its_capture_did():
    def random_steps(generator, old, new):
        generator.graphsafe_set_state(new)
        values = [torch.rand(5, device="cuda", generator=generator)]
        generator.graphsafe_set_state(old)
        return values + [torch.rand(5, device="cuda", generator=generator) for _ in range(2)]

    def states_of(generator):
        torch.rand(1, device="cuda")
        generator.manual_seed(0)
        return generator, generator.graphsafe_get_state(), generator.clone_state()

    eager = states_of(torch.Generator(device="cuda"))
    of_graph = states_of(torch.cuda.default_generators[0])
    graph = torch.cuda.CUDAGraph()
    for state in of_graph[1:]:
        graph.register_generator_state(state)
    with torch.cuda.stream(torch.cuda.Stream()):
        graph.capture_begin()
        random_steps(*of_graph)
        graph.capture_end()
    offsets = []
    for _ in range(3):
        random_steps(*eager)
        graph.replay()
        assert [state.get_offset() for state in eager[1:]] == [state.get_offset() for state in of_graph[1:]]
        offsets.append(of_graph[1].get_offset())
    assert offsets == [8, 16, 24], "two calls of four numbers a thread"


def another_seed_is_refused_while_capturing():
    torch.cuda.manual_seed(0)
    graph = torch.cuda.CUDAGraph()
    message = "CUDAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same"
    with raises(RuntimeError, message), torch.cuda.graph(graph):
        torch.cuda.manual_seed(1)


def a_checkpoint_in_a_graph_restores_the_generator():
    def scaled(x):
        return x * torch.sigmoid(torch.randn(1, device="cuda"))

    def gradient():
        x = torch.ones(1, device="cuda", requires_grad=True)
        y = torch.utils.checkpoint.checkpoint(scaled, x, use_reentrant=False, preserve_rng_state=True)
        return torch.autograd.grad(y, x)[0]

    torch.cuda.manual_seed(42)
    gradient()
    offset = torch.cuda._get_rng_state_offset()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        gradient()
    torch.cuda.manual_seed(42)
    graph.replay()
    assert torch.cuda._get_rng_state_offset() == offset == 4, "once, not twice for the second run of the function"


def a_graph_is_drawn_to_a_file():
    x = torch.randn(1024, device="cuda")
    y = torch.rand_like(x)
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    graph.enable_debug_mode()
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    first.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(first):
        graph.capture_begin()
        z = x + y
        with torch.cuda.stream(second):
            second.wait_stream(first)
            z + y
        first.wait_stream(second)
        z + x
        graph.capture_end()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.dot")
        graph.debug_dump(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    assert text.startswith("digraph")
    assert text.count("->") == 3, "the last kernel comes after both others"


def external_events_are_recorded_by_each_replay():
    x = torch.randn(1024, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True, external=True) for _ in range(2))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        start.record()
        x + x
        end.record()
    assert start.query(), "nothing is recorded before the first replay"
    with raises((RuntimeError, ValueError)):
        start.elapsed_time(end)
    graph.replay()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) > 0


def a_graph_may_wait_for_an_event_of_another():
    x = torch.ones(4, device="cuda")
    on_host = torch.zeros(4).pin_memory()
    start, end = torch.cuda.Event(external=True), torch.cuda.Event(external=True)
    signalling, working = torch.cuda.CUDAGraph(keep_graph=True), torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(signalling, capture_error_mode="relaxed"):
        x + x
        start.record()
    assert start.query()
    with torch.cuda.graph(working, capture_error_mode="relaxed"):
        start.wait()
        on_host.copy_(x, non_blocking=True)
        end.record()
    kernel, copy, wait, record = 0, 1, 6, 7
    assert _nodes_of(signalling) == [kernel, record]
    assert _nodes_of(working) == [wait, copy, record]
    with torch.cuda.stream(torch.cuda.Stream()):
        signalling.replay()
    with torch.cuda.stream(torch.cuda.Stream()):
        working.replay()
    end.synchronize()
    with part("the copy"):
        assert bool((on_host == 1).all())


def a_capture_on_the_default_stream_is_refused():
    with raises(RuntimeError, "CUDA graphs must be captured on a non-default stream"):
        torch.cuda.CUDAGraph().capture_begin()


def an_empty_graph_is_warned_of():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.cuda.stream(torch.cuda.Stream()):
            graph = torch.cuda.CUDAGraph()
            graph.capture_begin()
            graph.capture_end()
    assert any("The CUDA Graph is empty" in str(warning.message) for warning in caught)


def what_another_thread_may_do_is_by_the_mode_of_the_capture():
    def allocate_elsewhere(errors):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                block = torch.cuda.caching_allocator_alloc(1024)
            torch.cuda.caching_allocator_delete(block)
        except RuntimeError as error:
            errors.append(str(error))

    def errors_with(mode):
        errors = []
        stream = torch.cuda.Stream()
        torch.cuda.empty_cache()
        try:
            with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=stream, capture_error_mode=mode):
                torch.zeros(2000, device="cuda") + 1
                thread = threading.Thread(target=allocate_elsewhere, args=(errors,))
                thread.start()
                thread.join()
        except RuntimeError as error:
            errors.append(str(error))
        return errors

    torch.cuda.init()
    assert errors_with("thread_local") == []
    assert errors_with("relaxed") == []
    errors = errors_with("global")
    assert len(errors) == 2, "the thread is refused, and the capture is void"
    assert "operation not permitted when stream is capturing" in errors[0]
    assert "operation failed due to a previous error during capture" in errors[1]


def reading_a_value_is_refused_while_capturing():
    a, b = torch.rand(50, 50, device="cuda"), torch.rand(50, 50, device="cuda")
    order = torch.randint(0, 50, (50,), device="cuda")
    with raises(RuntimeError, "operation failed due to a previous error during capture|not permitted when stream is capturing"):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            a[0] *= b[order[0]]
    kept = torch.zeros(3, device="cuda")
    torch.cuda.synchronize()
    assert kept.numel() == 3, "the device goes on"


def what_graphs_keep_for_a_program_goes_with_the_last_of_them():
    """User objects, which torch 2.15 uses to keep tensors of captured collectives."""
    runtime = ctypes.CDLL("libcudart.so.13")
    gone = []
    let_go = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(gone.append)
    objects = [ctypes.c_void_p() for _ in range(2)]
    for number, made in enumerate(objects, 1):
        assert runtime.cudaUserObjectCreate(ctypes.byref(made), ctypes.c_void_p(number), let_go, 2, 1) == 0
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    assert runtime.cudaGraphCreate(ctypes.byref(graph), 0) == 0
    move = 1
    for made in objects:
        assert runtime.cudaGraphRetainUserObject(graph, made, 1, move) == 0
    assert runtime.cudaGraphInstantiate(ctypes.byref(executable), graph, 0) == 0
    assert runtime.cudaGraphReleaseUserObject(graph, objects[1], 2) == 1, "it has fewer references"
    assert runtime.cudaGraphReleaseUserObject(graph, objects[1], 1) == 0
    assert runtime.cudaUserObjectRelease(objects[0], 1) == 0
    assert runtime.cudaGraphDestroy(graph) == 0
    torch.cuda.synchronize()
    assert gone == [], "the executable graph has them, too"
    assert runtime.cudaGraphExecDestroy(executable) == 0
    deadline = time.monotonic() + 10
    while gone != [1] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert gone == [1]
    assert runtime.cudaUserObjectRetain(objects[1], 1) == 0
    assert runtime.cudaUserObjectRelease(objects[1], 2) == 0
    while len(gone) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert gone == [1, 2]
    assert runtime.cudaUserObjectCreate(ctypes.byref(objects[0]), None, let_go, 0, 1) == 1, "without references"


if __name__ == "__main__":
    perform(globals())
