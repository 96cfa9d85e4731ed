# SPDX-License-Identifier: Apache-2.0
"""Pools that a program makes, with its own allocator or without."""

import collections
import ctypes
import threading

import torch
from behaviour import EXPANDABLE, MIB, also_on_expandable_segments, perform, raises

FLOATS = MIB // 4  # floats in a MiB


class Counting:
    """A program's allocator: the runtime's managed memory, with counts of allocations and frees."""

    def __init__(self):
        runtime = ctypes.CDLL("libcudart.so.13")
        self.allocated, self.freed = [], []

        @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
        def allocate(size, device, stream):
            pointer = ctypes.c_void_p()
            assert runtime.cudaMallocManaged(ctypes.byref(pointer), ctypes.c_size_t(size), 1) == 0
            self.allocated.append(size)
            return pointer.value

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
        def free(pointer, size, device, stream):
            assert runtime.cudaFree(ctypes.c_void_p(pointer)) == 0
            self.freed.append(size)

        self._functions = allocate, free
        addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in self._functions]
        self.allocator = torch._C._cuda_customAllocator(*addresses)


def floats(mib):
    return torch.empty(mib * FLOATS, device="cuda")


def to(pool, make):
    with torch.cuda.use_mem_pool(pool):
        return make()


def allow(mib):
    total = torch.cuda.mem_get_info()[1]
    torch.cuda.set_per_process_memory_fraction((mib * MIB + torch.cuda.memory_reserved()) / total)


def segments_of(pool):
    return torch.cuda.memory.memory_snapshot(pool.id)


def ids_are_one_sequence():
    pools = [torch.cuda.graph_pool_handle(), torch.cuda.MemPool().id, torch.cuda.graph_pool_handle()]
    assert [pool[0] for pool in pools] == [0, 0, 0]
    assert pools[0][1] < pools[1][1] < pools[2][1]


def threads_make_different_pools():
    torch.cuda.init()
    ids = []
    threads = [threading.Thread(target=lambda: ids.append(torch.cuda.MemPool().id)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 4


@also_on_expandable_segments
def memory_of_a_pool_goes_when_the_pool_goes():
    pool = torch.cuda.MemPool()
    x = floats(4)
    y = to(pool, lambda: floats(4))
    assert x.data_ptr() != y.data_ptr()
    assert [segment["segment_pool_id"] for segment in pool.snapshot()] == [pool.id]
    assert len(torch.cuda.memory_snapshot()) == 2
    del y, x, pool
    segments = torch.cuda.memory._snapshot()["segments"]
    assert [segment["segment_pool_id"] for segment in segments] == [(0, 0)], "the cache of what was outside stays"


@also_on_expandable_segments
def a_pool_allocates_with_its_allocator():
    counting = Counting()
    pool = torch.cuda.MemPool(counting.allocator)
    assert pool.use_count() == 1
    assert (counting.allocated, counting.freed) == ([], [])
    with torch.cuda.use_mem_pool(pool):
        kept = [floats(1)]
        assert pool.use_count() == 2
    assert pool.use_count() == 1
    assert counting.allocated == [2 * MIB]
    outside = floats(1)
    assert counting.allocated == [2 * MIB]
    for segments in (1, 2):  # two tensors of 1 MiB share a segment
        kept.append(to(pool, lambda: floats(1)))
        assert len(pool.snapshot()) == segments
    assert counting.allocated == [2 * MIB, 2 * MIB]
    kept.clear()
    del pool
    assert counting.freed == [2 * MIB, 2 * MIB]
    assert outside.nbytes == MIB


def memory_outlives_its_pool_and_its_allocator():
    counting = Counting()
    pool = torch.cuda.MemPool(counting.allocator)
    data = to(pool, lambda: torch.empty(4, device="cuda"))
    counting.allocator = None
    del pool
    assert (counting.allocated, counting.freed) == ([2 * MIB], [])
    del data
    torch.cuda.empty_cache()
    assert counting.freed == [2 * MIB]


def memory_of_a_pool_that_is_gone_is_given_back_when_unused():
    counting = Counting()

    def make():
        pool = torch.cuda.MemPool(counting.allocator)
        return to(pool, lambda: torch.arange(2 * MIB, device="cuda"))

    x = make()
    assert (counting.allocated, counting.freed) == ([16 * MIB], [])
    assert x.nbytes == 16 * MIB
    del x
    torch.cuda.empty_cache()
    assert counting.freed == [16 * MIB]


def a_pool_may_be_the_last_resort():
    counting = Counting()
    never, last = torch.cuda.MemPool(counting.allocator), torch.cuda.MemPool(counting.allocator, use_on_oom=True)
    torch.cuda.init()
    allow(80)
    a, b = to(never, lambda: floats(40)), to(last, lambda: floats(40))
    address = b.data_ptr()
    with raises(torch.OutOfMemoryError):
        floats(40)
    del a, b
    c = floats(30)
    assert c.data_ptr() == address, "from the pool that says so"
    with raises(torch.OutOfMemoryError):
        floats(30)
    del c
    d = to(last, lambda: floats(20))
    assert d.data_ptr() == address


def a_pool_that_is_gone_is_no_resort():
    counting = Counting()
    torch.cuda.init()
    allow(40)
    for _ in range(10):
        pool = torch.cuda.MemPool(counting.allocator, use_on_oom=True)
        tensor = to(pool, lambda: floats(40))
        del tensor, pool
    assert len(counting.freed) == 10
    pool = torch.cuda.MemPool(counting.allocator, use_on_oom=True)
    whole = to(pool, lambda: floats(40))
    address = whole.data_ptr()
    del whole
    halves = [floats(20), floats(20)]
    assert [half.data_ptr() for half in halves] == [address, address + 20 * MIB]


@also_on_expandable_segments
def a_pool_may_leave_its_segments_whole():
    split, whole = torch.cuda.MemPool(), torch.cuda.MemPool(no_split=True)
    kept = [[to(pool, lambda: floats(4)) for _ in range(2)] for pool in (split, whole)]
    assert len(kept[0]) == len(kept[1]) == 2
    blocks = [[len(segment["blocks"]) for segment in pool.snapshot()] for pool in (split, whole)]
    assert blocks == ([[3], [2]] if EXPANDABLE and len(blocks[1]) == 1 else [[3], [1, 1]])


@also_on_expandable_segments
def emptying_the_cache_inside_a_pool_leaves_it():
    pools = [torch.cuda.MemPool() for _ in range(4)]

    def use(pool):
        with torch.cuda.use_mem_pool(pool):
            x = torch.randn(4, device="cuda")
            del x
            torch.cuda.empty_cache()

    torch.cuda.init()
    threads = [threading.Thread(target=use, args=(pool,)) for pool in pools]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(pool.snapshot()) for pool in pools] == [1, 1, 1, 1]


def pools_nest():
    first, second, third = (torch.cuda.MemPool() for _ in range(3))
    kept = []
    with torch.cuda.use_mem_pool(first):
        kept.append(floats(20))
        with torch.cuda.use_mem_pool(second):
            kept.append(floats(20))
            with torch.cuda.use_mem_pool(third):
                kept.append(floats(20))
            kept.append(floats(20))
        kept.append(floats(20))
    assert [len(segments_of(pool)) for pool in (first, second, third)] == [2, 2, 1]


def a_pool_with_an_allocator_is_not_expandable():
    torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    counting = Counting()
    pool = torch.cuda.MemPool(counting.allocator)
    kept = [to(pool, lambda: floats(1)), floats(1)]
    segments = torch.cuda.memory.memory_snapshot()
    assert sorted((segment["segment_pool_id"] != (0, 0), segment["is_expandable"]) for segment in segments) == [(False, True), (True, False)]
    assert len(kept) == 2


def a_pool_is_of_the_thread_that_entered_it():
    entered, allocated = threading.Event(), threading.Event()
    seen = []
    kept = []

    def inside():
        pool = torch.cuda.MemPool()
        kept.append(torch.empty(MIB, dtype=torch.int8, device="cuda"))
        with torch.cuda.use_mem_pool(pool):
            x = torch.empty(MIB, dtype=torch.int8, device="cuda")
            del x
            entered.set()
            allocated.wait(60)

    def outside():
        entered.wait(60)
        kept.append(torch.empty(MIB, dtype=torch.int8, device="cuda"))
        seen.extend(torch.cuda.memory._snapshot()["segments"])
        allocated.set()

    torch.cuda.init()
    threads = [threading.Thread(target=body) for body in (inside, outside)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    active = collections.Counter()
    for segment in seen:
        active["default" if segment["segment_pool_id"] == (0, 0) else "own"] += segment["active_size"]
    assert len(seen) == 2
    assert active == {"default": 2 * MIB, "own": 0}


if __name__ == "__main__":
    perform(globals())
