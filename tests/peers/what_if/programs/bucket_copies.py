# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel, started by torchrun: gradients are copied beside its buckets."""

import os

import by_hand
import torch
import torch.distributed
from torch import nn

torch.distributed.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
net = nn.Sequential(*[part for _ in range(12) for part in (nn.Linear(1024, 1024), nn.GELU())]).cuda()
net = nn.parallel.DistributedDataParallel(net, gradient_as_bucket_view=by_hand.HOW == "view")
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, fused=True)
for step in range(8):
    for _ in range(by_hand.PARTS):
        loss = net(torch.randn(64 // by_hand.PARTS, 1024, device="cuda")).square().mean()
        if by_hand.PARTS > 1:
            loss = loss / by_hand.PARTS
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
