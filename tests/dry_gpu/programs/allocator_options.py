# SPDX-License-Identifier: Apache-2.0
"""allocator_options.py CASE: one behaviour of the caching allocator that an option of PYTORCH_CUDA_ALLOC_CONF changes.

Prints the case's facts in MiB. The option itself is in the environment: each case also runs without it.
"""

import json
import sys

import torch

MIB = 1 << 20


def block(mib):
    return torch.empty(int(mib * MIB), dtype=torch.uint8, device="cuda")


def held():
    """Return allocated and reserved memory, in MiB."""
    return [torch.cuda.memory_allocated() / MIB, torch.cuda.memory_reserved() / MIB]


def from_a_cached_block(cached, *wanted):
    """Return the memory held with each of `wanted` allocated in turn, alone, beside a free block of
    `cached`."""
    found = []
    for mib in wanted:
        torch.cuda.empty_cache()
        spare = block(cached)
        del spare
        kept = block(mib)
        found.append(held())
        del kept
    return found


def one_by_one(*wanted):
    found = []
    for mib in wanted:
        torch.cuda.empty_cache()
        kept = block(mib)
        found.append(held())
        del kept
    return found


def beyond_the_threshold():
    """Make seven free blocks of 256 MiB, with a limit of 2 GiB, and then allocate 300 MiB."""
    torch.cuda.set_per_process_memory_fraction(2048 * MIB / torch.cuda.mem_get_info()[1])
    spare = [block(256) for _ in range(7)]
    spare.clear()
    kept = block(300)
    statistics = torch.cuda.memory_stats()
    return {"held": held(), "retries": statistics["num_alloc_retries"], "blocks": kept.numel() // MIB}


def until_it_is_full():
    kept = []
    try:
        while True:
            kept.append(block(256))
    except torch.OutOfMemoryError as error:
        return {"blocks": len(kept), "message": str(error)}


def pinned():
    """Allocate host memory that kernels may use; block sizes are powers of two."""
    kept = [torch.empty(int(mib * MIB), dtype=torch.uint8, pin_memory=True) for mib in (3, 1, 0.25)]
    statistics = torch.cuda.host_memory_stats()
    return {
        "pinned": [tensor.is_pinned() for tensor in kept],
        "held": statistics["active_bytes.current"] / MIB,
        "from_cuda": statistics["num_host_alloc"],
    }


def freed_on_another_stream_in_a_capture():
    a = block(32)
    other = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        here = torch.cuda.current_stream()
        for _ in range(3):
            b = a + 1
            other.wait_stream(here)
            with torch.cuda.stream(other):
                b.add_(1)
            b.record_stream(other)
            here.wait_stream(other)
            del b
    return held()


CASES = {
    "split": lambda: from_a_cached_block(300, 100, 290, 250),
    "sizes": lambda: one_by_one(1.1, 1.6, 11, 150),
    "garbage": beyond_the_threshold,
    "full": until_it_is_full,
    "pinned": pinned,
    "capture": freed_on_another_stream_in_a_capture,
}
torch.cuda.init()  # before this the statistics of pinned memory are empty
facts = CASES[sys.argv[1]]()
print(json.dumps({"facts": facts, "segments": [segment["is_expandable"] for segment in torch.cuda.memory_snapshot()]}))
