# SPDX-License-Identifier: Apache-2.0
"""PyTorch's caching allocator on a card: small cases, each from an empty cache."""

import json
import re

import torch

MIB = 1 << 20


def sizes(make):
    """Return allocated and reserved bytes while the result of `make` is alive."""
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    kept = make()
    after = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    del kept
    return [after[0] - before[0], after[1] - before[1]]


def empty(count):
    return sizes(lambda: torch.empty(count, dtype=torch.uint8, device="cuda"))


def use_on_device():
    free, total = torch.cuda.mem_get_info()
    return total - free


def first_product():
    """A stream's first product allocates a workspace for cuBLAS, which stays."""
    a = torch.empty(8, 8, device="cuda")
    return sizes(lambda: a @ a)


def capture():
    a = torch.empty(MIB, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        b = a + 1
    graph.replay()
    pools = {tuple(segment["segment_pool_id"]) for segment in torch.cuda.memory_snapshot()}
    return {"pools": len(pools), "bytes": b.numel() * b.element_size()}


def out_of_memory():
    kept = []
    try:
        while True:
            kept.append(torch.empty(256 * MIB, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError as error:
        message = str(error)
    blocks = len(kept)
    statistics = torch.cuda.memory_stats()
    del kept[:4]
    larger = torch.empty(1024 * MIB, dtype=torch.uint8, device="cuda")
    return {
        "blocks": blocks,
        "message": re.sub(r"Process \d+ has", "Process N has", message),
        "ooms": statistics["num_ooms"],
        "retries": statistics["num_alloc_retries"],
        "then": larger.numel(),
        "retries_then": torch.cuda.memory_stats()["num_alloc_retries"],
    }


torch.cuda.init()
context = use_on_device()
result = {
    "name": torch.cuda.get_device_name(),
    "devices": torch.cuda.device_count(),
    "context": context,
    "sizes": {str(count): empty(count) for count in (1, 512, 513, MIB, MIB + 1, 10 * MIB, 10 * MIB + 1, 11 * MIB + 1)},
    "first_product": first_product(),
    "item": torch.ones(3, device="cuda").sum().item(),
    "capture": capture(),
}
torch.cuda.empty_cache()
result["out_of_memory"] = out_of_memory()
with open("/proc/self/maps", encoding="utf-8") as maps:
    result["mapped"] = sorted({line.split()[-1] for line in maps if "/nvidia/" in line})
print(json.dumps(result))
