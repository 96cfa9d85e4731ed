# SPDX-License-Identifier: Apache-2.0
"""Pinned host memory: its cache, its statistics, and copies that need it."""

import os
import threading

import torch
from behaviour import card, part, perform, raises


def settings(text):
    torch.cuda.memory._set_allocator_settings(text)


def _pin_by_registering():
    settings("pinned_use_cuda_host_register:True,pinned_num_register_threads:8")
    assert not torch.ones(20).is_pinned()
    for count in (1 << 18, 1 << 20):
        pinned = torch.ones(count).pin_memory()
        assert pinned.is_pinned()
        assert pinned.sum().item() == count, "host memory holds its values"


def memory_may_be_registered_instead_of_allocated():
    _pin_by_registering()


def threads_may_register_side_by_side():
    problems = []

    def pin():
        try:
            _pin_by_registering()
        except Exception as error:
            problems.append(repr(error))

    torch.cuda.init()
    threads = [threading.Thread(target=pin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def host_statistics_count_blocks_of_powers_of_two():
    torch.cuda.init()
    # In PyTorch 2.11 the active counts only go up, so they are not compared.
    names = ("allocated_bytes", "allocations")

    def told():
        statistics = torch.cuda.host_memory_stats()
        amounts = [[statistics[f"{name}.{kind}"] for kind in ("current", "peak", "allocated", "freed")] for name in names]
        return amounts, [statistics[f"num_host_{kind}"] for kind in ("alloc", "free")], statistics["host_alloc_time.count"]

    def expected(bytes, blocks):
        return [[bytes, bytes, bytes, 0], [blocks, blocks, blocks, 0]], [blocks, 0], blocks

    assert told() == expected(0, 0)
    first = torch.ones(10 * 1024, pin_memory=True)
    assert told() == expected(64 * 1024, 1)
    second = torch.ones(20 * 1024, pin_memory=True)
    assert told() == expected(192 * 1024, 2)
    torch._C._host_emptyCache()
    assert told() == expected(192 * 1024, 2), "both are in use"
    del first, second
    torch._C._host_emptyCache()
    amounts, calls, _ = told()
    assert [amount[0] for amount in amounts] == [0, 0]
    assert calls == [2, 2]
    torch.cuda.reset_peak_host_memory_stats()
    torch.cuda.reset_accumulated_host_memory_stats()
    assert told() == expected(0, 0)


def the_cache_of_pinned_memory_can_be_emptied():
    torch.cuda.init()  # before this there are no statistics
    for register in (True, False):
        settings(f"pinned_use_cuda_host_register:{register}")
        pinned = torch.ones(1 << 20, pin_memory=True)
        assert pinned.is_pinned()
        address = pinned.data_ptr()
        del pinned
        torch._C._host_emptyCache()
        assert torch.cuda.host_memory_stats()["allocated_bytes.current"] == 0
        assert address != 0


def background_threads_pin_as_well():
    settings("pinned_use_background_threads:True")
    assert torch.ones(1 << 20, pin_memory=True).is_pinned()


def a_registered_tensor_is_pinned():
    tensor = torch.ones(20)
    assert not tensor.is_pinned()
    runtime = torch.cuda.cudart()
    assert runtime.cudaHostRegister(tensor.data_ptr(), 80, 0) == 0
    assert tensor.is_pinned()
    assert runtime.cudaHostUnregister(tensor.data_ptr()) == 0
    assert not tensor.is_pinned()


def a_transposed_tensor_is_pinned_with_its_values():
    x = torch.arange(0, 10).view((2, 5))
    assert torch.equal(x.t(), x.t().pin_memory())


def asking_for_a_pin_leaves_the_process_free_to_fork():
    torch.randn(10).is_pinned()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            value = str(torch.ones(10, device="cuda")[0].item())
        except BaseException as error:
            value = repr(error)
        os.write(writing, value.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        value = float(answer.read())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with part("the value"):
        assert value == 1.0


def freed_memory_is_used_again_but_not_while_it_is_copied():
    pinned = torch.FloatTensor([1]).pin_memory()
    address = pinned.data_ptr()
    del pinned
    pinned = torch.FloatTensor([1]).pin_memory()
    assert pinned.data_ptr() == address
    on_device = torch.cuda.FloatTensor([0])
    torch.cuda._sleep(1_000_000_000)
    on_device.copy_(pinned, non_blocking=True)
    del pinned
    pinned = torch.FloatTensor([1]).pin_memory()
    with part("the copy is under way"):
        assert pinned.data_ptr() != address
    with part("the value"):
        assert on_device.tolist() == [1]


@card(devices=2)
def a_copy_to_the_other_device_holds_the_memory_too():
    pinned = torch.FloatTensor([1]).pin_memory()
    address = pinned.data_ptr()
    with torch.cuda.device(1):
        on_device = torch.cuda.FloatTensor([0], device=1)
        torch.cuda._sleep(1_000_000_000)
        on_device.copy_(pinned, non_blocking=True)
    del pinned
    with part("the copy is under way"):
        assert torch.FloatTensor([2]).pin_memory().data_ptr() != address


def copies_keep_what_the_host_wrote():
    source = torch.arange(10_000, dtype=torch.uint8).pin_memory()
    on_device = source.cuda(non_blocking=True)
    shifted = source[1:]
    assert shifted.is_pinned()
    assert shifted.storage().data_ptr() == source.storage().data_ptr() != shifted.data_ptr()
    back = torch.zeros(9_999, dtype=torch.uint8).pin_memory()
    back.copy_(shifted)
    assert torch.equal(back, shifted)
    back.copy_(on_device[1:], non_blocking=True)
    torch.cuda.synchronize()
    with part("the device's copy"):
        assert torch.equal(back, shifted)


def a_copy_without_waiting_gives_pinned_memory():
    for to_host in (True, False):
        for non_blocking in (True, False):
            source = torch.randn(1000, device="cuda") if to_host else torch.randn(1000, pin_memory=True)
            torch.cuda.synchronize()
            torch.cuda._sleep(100_000_000)
            copy = source.to("cpu" if to_host else "cuda", non_blocking=non_blocking)
            if non_blocking:
                with part("the copy is under way"):
                    assert not torch.cuda.current_stream().query()
            else:
                assert torch.cuda.current_stream().query()
            torch.cuda.synchronize()
            assert copy.is_pinned() == (to_host and non_blocking)


def a_copy_to_the_host_waits_by_default():
    source = torch.randn(1000, device="cuda")
    torch.cuda._sleep(100_000_000)
    copy = source.to("cpu")
    assert torch.cuda.current_stream().query()
    assert not copy.is_pinned()


def _captured(body, pool=None):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
        result = body()
    return graph, result


def memory_pinned_in_a_capture_is_used_again_until_a_copy_needs_it():
    for register in (True, False):
        settings(f"pinned_use_cuda_host_register:{register}")

        def two_at_once():
            return [torch.empty(8, pin_memory=True) for _ in range(2)]

        def two_in_turn(copying):
            first = torch.randn(8).pin_memory()
            if copying:
                torch.randn(8, device="cuda").copy_(first, non_blocking=True)
            address = first.data_ptr()
            del first
            return address, torch.randn(8).pin_memory()

        _, (first, second) = _captured(two_at_once)
        assert first.data_ptr() != second.data_ptr()
        _, (address, second) = _captured(lambda: two_in_turn(False))
        assert second.data_ptr() == address
        _, (address, second) = _captured(lambda: two_in_turn(True))
        assert second.data_ptr() != address, "the copy reads it in every replay"


def graphs_of_one_pool_share_their_pinned_memory():
    for background in (True, False):
        for register in (True, False):
            for copying in (True, False):
                for deleting in (True, False):
                    settings(f"pinned_use_background_threads:{background},pinned_use_cuda_host_register:{register}")
                    kept = []

                    def body(copying=copying, deleting=deleting, kept=kept):
                        data = torch.randn(8).pin_memory()
                        if copying:
                            torch.randn(8, device="cuda").copy_(data, non_blocking=True)
                        if not deleting:
                            kept.append(data)
                        return data.data_ptr()

                    pool = torch.cuda.graph_pool_handle()
                    (first, address), (second, later) = (_captured(body, pool) for _ in range(2))
                    assert first.pool() == second.pool()
                    assert (later == address) == (deleting and not copying)


def memory_that_is_not_pinned_is_refused_in_a_capture():
    for to_host in (False, True):
        with raises(RuntimeError, "Cannot copy between CPU and CUDA tensors during CUDA graph capture"):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                on_device, on_host = torch.randn(8, device="cuda"), torch.empty(8)
                (on_host if to_host else on_device).copy_(on_device if to_host else on_host, non_blocking=True)


if __name__ == "__main__":
    perform(globals())
