# SPDX-License-Identifier: Apache-2.0
"""Pairs of Linear and ReLU in one Sequential; labels are made in the loop."""

import by_hand
import torch
from torch import nn

WIDTH, ROWS = 512, 16384 // by_hand.PARTS
model = nn.Sequential(*[part for _ in range(16) for part in (nn.Linear(WIDTH, WIDTH), nn.ReLU())], nn.Linear(WIDTH, 10)).cuda()
optimizer = by_hand.optimizer(torch.optim.SGD, model.parameters(), lr=1e-3)


def run(x):
    if not by_hand.TOGETHER:
        return model(x)
    return model[32](by_hand.run_blocks([model[at : at + 2] for at in range(0, 32, 2)], x))


for step in range(8):
    optimizer.zero_grad()
    for _ in range(by_hand.PARTS):
        x = torch.randn(ROWS, WIDTH, device="cuda")
        y = torch.randint(0, 10, (ROWS,), device="cuda")
        with by_hand.format_of_numbers():
            with by_hand.saved_tensors():
                logits = run(x)
            loss = by_hand.cross_entropy(logits, y)
        if by_hand.PARTS > 1:
            loss = loss / by_hand.PARTS
        by_hand.backward(loss)
    by_hand.step(optimizer)
