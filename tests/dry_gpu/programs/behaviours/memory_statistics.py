# SPDX-License-Identifier: Apache-2.0
"""The caching allocator's statistics, and where the bytes come from."""

import os
import random

import torch
from behaviour import EXPANDABLE, MIB, also_on_expandable_segments, card, part, perform

SMALL_SEGMENT = 2 * MIB


def statistic(name, device=None):
    return torch.cuda.memory_stats(device)[name]


def floats(count, device="cuda"):
    return torch.empty(count, device=device)


def a_raw_allocation_is_counted_and_given_back():
    before = torch.cuda.memory_allocated()
    block = torch.cuda.caching_allocator_alloc(1)
    assert torch.cuda.memory_allocated() == before + 512
    torch.cuda.caching_allocator_delete(block)
    assert torch.cuda.memory_allocated() == before


def a_raw_allocation_bypasses_a_disabled_cache():
    def requested_by(size):
        before = statistic("requested_bytes.all.allocated")
        block = torch._C._cuda_cudaCachingAllocator_raw_alloc(size, torch.cuda.current_stream().cuda_stream)
        requested = statistic("requested_bytes.all.allocated") - before
        torch._C._cuda_cudaCachingAllocator_raw_delete(block)
        return requested

    torch.cuda.init()
    torch.cuda.caching_allocator_enable(False)
    free_bytes = torch.cuda.mem_get_info()[0]
    assert requested_by(MIB) == 0
    assert torch.cuda.mem_get_info()[0] == free_bytes, "the device has it back at once"
    torch.cuda.caching_allocator_enable(True)
    assert requested_by(MIB) == MIB


def active_bytes_and_peaks_follow_one_tensor():
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.reset_accumulated_memory_stats()
    before = torch.accelerator.memory_allocated(), torch.accelerator.memory_reserved()
    assert before == (torch.accelerator.max_memory_allocated(), torch.accelerator.max_memory_reserved())
    active = torch.accelerator.memory_stats()["active_bytes.all.current"]
    kept = floats(256)
    statistics = torch.accelerator.memory_stats()
    assert statistics["active_bytes.all.current"] == active + 1024
    assert statistics["active_bytes.all.freed"] == 0
    del kept
    torch.accelerator.empty_cache()
    statistics = torch.accelerator.memory_stats()
    assert statistics["active_bytes.all.current"] == active
    assert statistics["active_bytes.all.freed"] == 1024
    assert torch.accelerator.max_memory_allocated() == before[0] + 1024
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.max_memory_allocated() == before[0]
    assert torch.accelerator.max_memory_reserved() == before[1]


def emptying_the_cache_waits_for_all_streams_once():
    kept = floats(1)
    before = torch.cuda.memory_stats()
    torch.cuda.empty_cache()
    after = torch.cuda.memory_stats()
    assert after["num_sync_all_streams"] == before["num_sync_all_streams"] + 1
    assert after["num_device_alloc"] == before["num_device_alloc"] == 1
    assert after["num_device_free"] == before["num_device_free"] == 0
    del kept
    torch.cuda.empty_cache()
    assert statistic("num_device_free") == 1


def _sums_of(segments):
    """Return the memory_stats of one device, summed from its segments."""
    sums = {}

    def add(name, segment, amount):
        for pool in ("all", f"{segment['segment_type']}_pool"):
            sums[f"{name}.{pool}.current"] = sums.get(f"{name}.{pool}.current", 0) + amount

    for segment in segments:
        blocks = segment["blocks"]
        active = [block for block in blocks if block["state"].startswith("active_")]
        assert sum(block["size"] for block in blocks) == segment["total_size"]
        assert sum(block["requested_size"] for block in active) == segment["requested_size"]
        add("segment", segment, 0 if segment["is_expandable"] else 1)
        add("reserved_bytes", segment, segment["total_size"])
        add("allocated_bytes", segment, segment["allocated_size"])
        add("active_bytes", segment, segment["active_size"])
        add("requested_bytes", segment, segment["requested_size"])
        add("active", segment, len(active))
        add("allocation", segment, sum(block["state"] == "active_allocated" for block in blocks))
        if len(blocks) > 1 and not segment["is_expandable"]:
            unused = [block for block in blocks if block["state"] == "inactive"]
            add("inactive_split", segment, len(unused))
            add("inactive_split_bytes", segment, sum(block["size"] for block in unused))
    return sums


@also_on_expandable_segments
@card(devices=2)
def statistics_are_the_sums_of_the_snapshot():
    """Uses two devices in turn, for tensors of all sizes that are allocated and freed."""
    choice = random.Random(11)
    kept = {0: [], 1: []}
    peak = {0: 0, 1: 0}
    for step in range(160):
        device = choice.randrange(2)
        if kept[device] and choice.random() < 0.4:
            kept[device].pop(choice.randrange(len(kept[device])))
        else:
            kept[device].append(floats(int(2 ** choice.uniform(0, 23)), f"cuda:{device}"))
        if step % 40 == 39:
            torch.cuda.empty_cache()
        for each in (0, 1):
            now = torch.cuda.memory_allocated(each)
            peak[each] = max(peak[each], now)
            assert torch.cuda.max_memory_allocated(each) == peak[each]
            requested = sum(4 * tensor.numel() for tensor in kept[each])
            assert requested <= now <= torch.cuda.memory_reserved(each)
        if step % 4 == 3:
            for each in (0, 1):
                segments = [segment for segment in torch.cuda.memory_snapshot() if segment["device"] == each]
                told = torch.cuda.memory_stats(each)
                different = {name: (told[name], sum) for name, sum in _sums_of(segments).items() if told[name] != sum}
                assert different == {}
    kept.clear()
    torch.cuda.empty_cache()
    assert [torch.cuda.memory_allocated(each) for each in (0, 1)] == [0, 0]
    assert [torch.cuda.memory_reserved(each) for each in (0, 1)] == [0, 0]


@card(devices=3)
def a_tensor_counts_on_its_own_device_only():
    before = [torch.cuda.memory_allocated(device) for device in range(3)]
    kept = torch.ones(10, device="cuda:0")
    assert torch.cuda.memory_allocated(0) == before[0] + 512
    assert [torch.cuda.memory_allocated(torch.cuda.device(device)) for device in (1, 2)] == before[1:]
    assert kept.get_device() == 0


def an_empty_tensor_takes_nothing():
    kept = floats((0, 0, 0))
    assert kept.data_ptr() == 0
    assert (torch.cuda.memory_allocated(), torch.cuda.memory_reserved()) == (0, 0)


def a_broadcast_product_takes_no_more_than_the_batched_one():
    def peak_of(product):
        torch.cuda.reset_peak_memory_stats()
        product()
        return torch.cuda.max_memory_allocated()

    a = torch.rand(1, 32, 32, device="cuda")
    b = torch.rand(24, 32, 1, device="cuda")
    torch.matmul(a, b)
    expanded = a.expand(24, 32, 32)
    peaks = [peak_of(lambda: torch.matmul(a, b)), peak_of(lambda: torch.matmul(expanded, b)), peak_of(lambda: torch.bmm(expanded, b))]
    assert peaks[0] == peaks[1] == peaks[2]


def _workspace_with(configuration):
    """Return the bytes of a product's workspace for a value of CUBLAS_WORKSPACE_CONFIG."""
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = configuration
    a = torch.empty(7, 7, device="cuda")
    torch._C._cuda_clearCublasWorkspaces()
    before = statistic("active_bytes.all.current")
    product = a @ a
    taken = statistic("active_bytes.all.current") - before - 512
    assert product.shape == (7, 7)
    torch._C._cuda_clearCublasWorkspaces()
    return taken


def the_workspace_of_cublas_follows_its_configuration():
    torch.backends.cuda.preferred_blas_library("cublas")
    assert _workspace_with("") == 4096 * 8 * 1024
    assert _workspace_with("-1") == 4096 * 8 * 1024, "what cannot be read counts as not given"
    assert _workspace_with(":128:8:64:16:32:32") == (128 * 8 + 64 * 16 + 32 * 32) * 1024


@card(compute_major=8)
def the_workspace_of_cublas_is_smaller_before_hopper():
    torch.backends.cuda.preferred_blas_library("cublas")
    assert _workspace_with("") == (4096 * 2 + 16 * 8) * 1024


def autocast_keeps_one_copy_of_a_weight():
    linear = torch.nn.Linear(10, 10).cuda()
    data = torch.randn(1, 10, device="cuda")
    with torch.autocast("cuda"), torch.no_grad():
        output = linear(data)
        first = torch.cuda.memory_allocated()
        for _ in range(3):
            output = linear(data)
        assert torch.cuda.memory_allocated() == first
    assert output.dtype == torch.float16


@also_on_expandable_segments
def live_tensors_never_overlap():
    """Tensors of 2 to 20 MiB are allocated and freed 400 times; the cache is emptied now and
    then."""
    choice = random.Random(123)
    kept, total = [], 0
    for number in range(400):
        if kept and (total > 100 * MIB or choice.random() < 0.45):
            value, tensor = kept.pop(choice.randrange(len(kept)))
            total -= tensor.nbytes
            with part("a filled tensor reads as filled"):
                if not kept:
                    assert bool((tensor == value).all())
            del tensor
        else:
            kept.append((number, torch.full((choice.randrange(MIB // 2, 5 * MIB),), number, dtype=torch.int32, device="cuda")))
            total += kept[-1][1].nbytes
        if number % 20 == 0:
            torch.cuda.empty_cache()
        spans = sorted((tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes) for _, tensor in kept)
        assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:], strict=False))
    assert torch.cuda.memory_allocated() >= total


def the_summary_tells_the_same_numbers():
    kept = floats(MIB)
    summary = torch.cuda.memory_summary()
    allocated = next(line for line in summary.splitlines() if line.startswith("| Allocated memory"))
    assert [cell.split() for cell in allocated.split("|")[2:4]] == [["4096", "KiB"], ["4096", "KiB"]]
    assert kept.nbytes == 4 * MIB
    nested = torch.cuda.memory_stats_as_nested_dict()
    assert nested["allocated_bytes"]["all"]["current"] == 4 * MIB
    assert nested["segment"]["large_pool"]["current"] == (0 if EXPANDABLE else 1)


if __name__ == "__main__":
    perform(globals())
