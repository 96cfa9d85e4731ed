# SPDX-License-Identifier: Apache-2.0
"""A training with an evaluation under a single autocast, which accumulates casts of all weights."""

import by_hand
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        h = self.norm(x)
        return x + self.o(nn.functional.scaled_dot_product_attention(self.q(h), self.k(h), self.v(h)))


model = nn.Sequential(*[Block(1024) for _ in range(12)]).cuda()
optimizer = by_hand.optimizer(torch.optim.SGD, model.parameters(), lr=1e-3)
for step in range(8):
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, cache_enabled=by_hand.HOW != "nocache"):
        model(torch.randn(16384, 1024, device="cuda"))
    model(torch.randn(32, 1024, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
