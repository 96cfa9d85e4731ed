# SPDX-License-Identifier: Apache-2.0
"""one_of_many.py WORLD FORM: three steps of a small model as rank 0 of WORLD, sharded or
replicated, as FORM says."""

import hashlib
import json
import sys
import time

import torch
import torch.distributed as dist

world, form = int(sys.argv[1]), sys.argv[2]
torch.cuda.set_device(0)
# A store that does not wait for the peers. They do not exist; NCCL answers for them.
store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
dist.init_process_group("nccl", rank=0, world_size=world, store=store)
torch.cuda.memory._record_memory_history(stacks="all", context=None)


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


WIDTH = 2048
with torch.device("cuda"):
    model = torch.nn.Sequential(*[Block(WIDTH) for _ in range(8)])
parameters = sum(parameter.numel() for parameter in model.parameters())
if form == "fsdp2":
    from torch.distributed.fsdp import fully_shard

    for block in model:
        fully_shard(block)
    fully_shard(model)
elif form == "fsdp1":
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    model = FullyShardedDataParallel(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=0)
elif form == "ddp":
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[0])
torch.cuda.empty_cache()

optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn(16, 256, WIDTH, device="cuda")
for _ in range(3):
    torch.cuda.reset_peak_memory_stats()
    model(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    torch.cuda.synchronize()
    if form == "ddp":
        # After its first step DDP rebuilds its buckets in the order of their gradients. NCCL's
        # watchdog checks its work every 100 ms and keeps the old buckets until then. Unlike on a
        # card, this is longer than a step takes here.
        time.sleep(1)

trace = torch.cuda.memory._snapshot()["device_traces"][0]
streams = {}
events = [[e["action"], e["addr"], e["size"], streams.setdefault(e["stream"], len(streams))] for e in trace]
print(
    json.dumps(
        {
            "parameters": parameters,
            "allocated": torch.cuda.memory_allocated(),
            "peak": torch.cuda.max_memory_allocated(),
            "reserved": torch.cuda.max_memory_reserved(),
            "streams": len(streams),
            "events": hashlib.sha256(json.dumps(events).encode()).hexdigest(),
        }
    )
)
dist.destroy_process_group()
