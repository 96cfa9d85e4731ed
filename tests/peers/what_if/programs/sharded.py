# SPDX-License-Identifier: Apache-2.0
"""FSDP2 on eight ranks, one of which runs: it keeps whole gradients between micro-batches."""

import os

import by_hand
import torch
import torch.distributed
from torch import nn
from torch.distributed.fsdp import fully_shard

os.environ.update(RANK="0", WORLD_SIZE="8", MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
torch.cuda.set_device(0)
torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=8)
net = nn.Sequential(*[nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)) for _ in range(8)]).cuda()
for block in net:
    fully_shard(block)
fully_shard(net)
optimizer = torch.optim.AdamW(net.parameters(), fused=True)
for step in range(8):
    for micro in range(4):
        if by_hand.HOW != "sync":
            net.set_requires_gradient_sync(micro == 3)
        net(torch.randn(64, 512, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
