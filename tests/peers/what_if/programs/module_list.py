# SPDX-License-Identifier: Apache-2.0
"""Blocks in a ModuleList that the program itself iterates over, without a model's module around
them."""

import by_hand
import torch
from torch import nn

ROWS = 8192 // by_hand.PARTS
layers = nn.ModuleList([nn.Sequential(nn.Linear(512, 512), nn.ReLU()) for _ in range(16)]).cuda()
optimizer = by_hand.optimizer(torch.optim.SGD, layers.parameters(), lr=1e-3)
for step in range(8):
    for _ in range(by_hand.PARTS):
        x = torch.randn(ROWS, 512, device="cuda")
        with by_hand.format_of_numbers():
            if by_hand.HOW == "offload":
                for layer in layers:
                    with by_hand.saved_tensors():
                        x = layer(x)
            else:
                x = by_hand.run_blocks(layers, x)
            loss = x.square().mean()
        if by_hand.PARTS > 1:
            loss = loss / by_hand.PARTS
        by_hand.backward(loss)
    by_hand.step(optimizer)
    optimizer.zero_grad()
