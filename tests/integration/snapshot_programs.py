# SPDX-License-Identifier: Apache-2.0
"""Programs that take snapshots of torch's real CUDA allocator on a dry card and write the
allocator's own statistics beside each."""

HEAD = """
import json
import random

import torch

torch.cuda.init()
memory = torch.cuda.memory
KEYS = ("allocated_bytes.all.current", "allocated_bytes.all.peak", "reserved_bytes.all.current", "reserved_bytes.all.peak")


def dump(name, devices=(0,)):
    stats = [[torch.cuda.memory_stats(device)[key] for key in KEYS] for device in devices]
    memory._dump_snapshot(name + ".pickle")
    with open(name + ".json", "w") as file:
        json.dump(stats, file)


def record(**options):
    for device in range(torch.cuda.device_count()):
        torch.cuda.reset_peak_memory_stats(device)
    memory._record_memory_history(**options)


def stop():
    memory._record_memory_history(enabled=None)


def work(blocks, device="cuda:0", seed=0):
    # Blocks that come and go, of sizes that the allocator splits, rounds and hands out whole.
    chance = random.Random(seed)
    kept = []
    for _ in range(blocks):
        kept.append(torch.empty(int(2 ** chance.uniform(4, 25)), dtype=torch.uint8, device=device))
        while kept and chance.random() < 0.55:
            kept.pop(chance.randrange(len(kept)))
        if chance.random() < 0.01:
            torch.cuda.empty_cache()
    return kept
"""

FIXED = (
    HEAD
    + """
torch.zeros(1, device="cuda:0")
older = work(100, seed=1)
stop()
dump("without_history")

record(stacks="python", max_entries=100_000)
kept = work(400, seed=2)
older = older[::2]
other = torch.cuda.Stream()
shared = torch.empty(3 << 20, dtype=torch.uint8, device="cuda:0")
with torch.cuda.stream(other):
    kept.append(torch.empty(5 << 20, dtype=torch.uint8, device="cuda:0"))
shared.record_stream(other)
del shared
kept += work(50, seed=3)
dump("from_the_middle")
stop()

del older, kept
torch.cuda.synchronize()
torch.cuda.empty_cache()
record(max_entries=100_000, context=None, clear_history=True)
kept = work(300, seed=4)
dump("without_stacks")
kept = kept[1:]
kept += work(30, seed=5)
dump("second")
stop()

record(stacks="all", max_entries=120, clear_history=True)
kept += work(300, seed=6)
dump("wrapped")
stop()

record(max_entries=100_000, clear_history=True)
kept += work(20, "cuda:0", seed=7)
beside = work(60, "cuda:1", seed=8)
dump("two_devices", (0, 1))
stop()

record(max_entries=100_000, clear_history=True)
try:
    torch.empty(1 << 50, dtype=torch.uint8, device="cuda:0")
except torch.OutOfMemoryError:
    pass
dump("out_of_memory")
stop()
"""
)

WHOLE = (
    HEAD
    + """
record(stacks="python", max_entries=100_000, global_record_annotations=True)
kept = []
for step in range(3):
    with torch.profiler.record_function(f"ProfilerStep#{step}"):
        with torch.profiler.record_function("my range"):
            kept = kept[::2] + work(60, seed=step)
dump("whole")
"""
)
