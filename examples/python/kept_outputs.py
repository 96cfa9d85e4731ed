# SPDX-License-Identifier: Apache-2.0
"""A loop that keeps each output with its graph, as a list of losses often does: memory grows.

    strata exec --dry h100-80gb --layers -- python examples/python/kept_outputs.py
"""

import torch
from torch import nn

model = nn.Sequential(*[nn.Sequential(nn.Linear(1024, 1024), nn.Tanh()) for _ in range(4)]).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
watched = []
for _ in range(8):
    model(torch.randn(2048, 1024).cuda()).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    watched.append(model(torch.randn(512, 1024).cuda()).mean())  # .item() would keep only a number
