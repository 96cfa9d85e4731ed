# SPDX-License-Identifier: Apache-2.0
"""Running out of memory: what the allocator tries, the message, and what still works afterwards."""

import torch
from behaviour import EXPANDABLE, MIB, also_on_expandable_segments, card, part, perform, raises

GIB = 1 << 30


def int8(count):
    return torch.empty(count, dtype=torch.int8, device="cuda")


@also_on_expandable_segments
def the_message_says_what_was_tried_and_the_device_goes_on():
    tensor = torch.zeros(1024, device="cuda")
    with raises(torch.OutOfMemoryError, r"Tried to allocate 800000000\.00 GiB\. GPU 0 has a total capacity of 79\.18 GiB"):
        int8(800_000_000 * GIB)
    with raises(RuntimeError, "Tried to allocate more than 1EB memory"):
        int8(8_000_000_000 * GIB)
    before = torch.cuda.memory_allocated()
    tensor.fill_(1)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before
    with part("the fill"):
        assert bool((tensor == 1).all())


@also_on_expandable_segments
def half_of_the_device_fits_once():
    half = torch.cuda.get_device_properties(0).total_memory // 2
    first = int8(half)
    with raises(torch.OutOfMemoryError, "Tried to allocate"):
        int8(half)
    del first
    second = int8(half)
    assert torch.cuda.memory_allocated() >= half
    del second


@card(memory_bytes=4 << 30)
def cached_blocks_are_given_back_before_it_fails():
    torch.cuda.init()
    quarter = torch.cuda.mem_get_info()[0] // 4 // (2 * MIB) * 2 * MIB
    kept = [int8(quarter) for _ in range(3)]
    del kept
    larger = int8(2 * quarter)
    statistics = torch.cuda.memory_stats()
    assert (statistics["num_alloc_retries"], statistics["num_ooms"]) == (1, 0)
    assert larger.nbytes == 2 * quarter
    assert statistics["num_device_free"] >= 1


def a_fraction_is_a_limit():
    total = torch.cuda.get_device_properties(0).total_memory
    with raises(TypeError, "Invalid type"):
        torch.cuda.set_per_process_memory_fraction(1)
    for invalid in (-0.1, 2.0):
        with raises(ValueError, "Invalid fraction value"):
            torch.cuda.set_per_process_memory_fraction(invalid)
    tensor = torch.zeros(1024, device="cuda")
    torch.cuda.set_per_process_memory_fraction(0.5, 0)
    almost = int8(int(total * 0.499) - torch.cuda.max_memory_reserved())
    del almost
    torch.cuda.empty_cache()
    with raises(torch.OutOfMemoryError, "out of memory.*39.59 GiB allowed"):
        int8(total // 2)
    tensor.fill_(1)
    torch.cuda.synchronize()
    with part("the fill"):
        assert bool((tensor == 1).all())


def a_fraction_is_remembered():
    assert torch.cuda.get_per_process_memory_fraction() == 1.0
    for fraction in (1.0, 0.0, 0.125, 0.7001):
        torch.cuda.set_per_process_memory_fraction(fraction)
        assert abs(torch.cuda.get_per_process_memory_fraction() - fraction) < 1e-9, "kept as whole bytes"


@also_on_expandable_segments
def a_limit_on_splitting_makes_no_difference_to_what_cannot_fit():
    for settings in ("", "max_split_size_mb:1024"):
        torch.cuda.memory._set_allocator_settings(settings or f"expandable_segments:{EXPANDABLE}")
        with raises(torch.OutOfMemoryError, "Tried to allocate 4096.00 GiB"):
            torch.empty(1 << 40, device="cuda")
        assert torch.cuda.memory_reserved() == 0


def observers_are_told_what_was_asked():
    seen = []
    torch._C._cuda_attach_out_of_memory_observer(lambda *numbers: seen.append(numbers))
    kept = torch.empty(MIB, device="cuda")
    with raises(torch.OutOfMemoryError):
        torch.empty(1 << 40, device="cuda")
    total = torch.cuda.get_device_properties(0).total_memory
    free_bytes = torch.cuda.mem_get_info()[0]
    # device, requested bytes, total bytes of the device, its free bytes
    assert seen == [(0, 4 << 40, total, free_bytes)]
    assert kept.nbytes == 4 * MIB


def the_history_holds_the_failure():
    torch.cuda.memory._record_memory_history(stacks="python")
    with raises(torch.OutOfMemoryError):
        torch.empty(1 << 40, device="cuda")
    (event,) = (event for event in torch.cuda.memory._snapshot()["device_traces"][0] if event["action"] == "oom")
    assert event["size"] == 4 << 40
    assert event["device_free"] == torch.cuda.mem_get_info()[0]


@also_on_expandable_segments
@card(memory_bytes=4 << 30)
def blocks_that_wait_for_a_stream_are_freed_in_time():
    """100 tensors of 160 MiB, each used by another stream and dropped: more than the device has."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        sum = torch.zeros(40 * MIB, device="cuda")
    for _ in range(100):
        x = torch.empty(40 * MIB, device="cuda")
        with torch.cuda.stream(stream):
            sum += x
        x.record_stream(stream)
        del x
    assert torch.cuda.memory_stats()["num_ooms"] == 0
    del sum
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() == 0


@also_on_expandable_segments
def a_capture_fails_with_the_same_error():
    with raises(RuntimeError, "out of memory"), torch.cuda.graph(torch.cuda.CUDAGraph()):
        torch.zeros(1 << 40, device="cuda")
    kept = torch.zeros(3, device="cuda")
    torch.cuda.synchronize()
    assert kept.data_ptr() != 0


if __name__ == "__main__":
    perform(globals())
