# SPDX-License-Identifier: Apache-2.0
"""fsdp_memory.py reshard|keep: the blocks that FSDP2 has alive at the peak of a forward, as rank 0
of 2.

The model is that of PyTorch's test_fully_shard_memory.py: ModelArgs(vocab_size=32, n_layers=3,
dim=768, n_heads=12).
"""

import collections
import json
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

WIDTH, HEADS, VOCABULARY, CONTEXT, LAYERS = 768, 12, 32, 16, 3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        h = self.attention_norm(x)
        q, k, v = (
            projection(h).unflatten(-1, (HEADS, -1)).transpose(1, 2) for projection in (self.q, self.k, self.v)
        )
        x = x + self.o(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2))
        return x + self.down(nn.functional.gelu(self.up(self.feed_forward_norm(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        h = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device="cuda"))
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def bytes_of(modules):
    return sum(p.numel() * p.element_size() for module in modules for p in module.parameters())


def function_of(event):
    """Return the innermost FSDP function that decides to allocate, or "" if none does."""
    deciding = ("init_all_gather_outputs", "foreach_all_gather")
    return next((frame["name"] for frame in event["frames"] if frame["name"] in deciding), "")


def alive_at_peak(trace):
    """Return bytes and number of blocks by function, for what was allocated in this trace."""
    live, sizes, most, at_peak = {}, 0, -1, []
    for event in trace:
        if event["action"] == "alloc":
            live[event["addr"]] = event
            sizes += event["size"]
        elif event["action"] == "free_completed" and event["addr"] in live:
            sizes -= live.pop(event["addr"])["size"]
        if sizes > most:
            most, at_peak = sizes, list(live.values())
    alive = collections.defaultdict(lambda: [0, 0])
    for event in at_peak:
        alive[function_of(event)][0] += event["size"]
        alive[function_of(event)][1] += 1
    return alive


torch.cuda.set_device(0)
store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
dist.init_process_group("nccl", rank=0, world_size=2, store=store)
model = Transformer()
facts = {"all": bytes_of([model]), "block": bytes_of([model.blocks[0]])}
for module in [*model.blocks, model]:
    fully_shard(module, reshard_after_forward=sys.argv[1] == "reshard")
facts["shards"] = torch.cuda.memory_allocated()
tokens = torch.zeros(1, 4, dtype=torch.long, device="cuda")
torch.cuda.memory._record_memory_history(stacks="python")
model(tokens)
facts["alive"] = alive_at_peak(torch.cuda.memory._snapshot()["device_traces"][0])
print(json.dumps(facts))
dist.destroy_process_group()
