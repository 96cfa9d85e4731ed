# SPDX-License-Identifier: Apache-2.0
"""zero_grad(set_to_none=False), and no variable for the model's output."""

import by_hand
import torch
from torch import nn

ROWS = 4096 // by_hand.PARTS
net = nn.Sequential(*[part for _ in range(8) for part in (nn.Linear(1024, 1024), nn.GELU())]).cuda()
optimizer = by_hand.optimizer(torch.optim.SGD, net.parameters(), lr=0.1, **({"fused": True} if by_hand.HOW not in ("foreach", "loop") else {}))


def run(x):
    return by_hand.run_blocks([net[at : at + 2] for at in range(0, 16, 2)], x) if by_hand.TOGETHER else net(x)


def loss_of(x):
    with by_hand.format_of_numbers():
        with by_hand.saved_tensors():
            y = run(x)
        loss = y.square().mean()
    if by_hand.PARTS > 1:
        loss = loss / by_hand.PARTS
    return loss


for step in range(8):
    optimizer.zero_grad(set_to_none=by_hand.HOW == "none")
    for _ in range(by_hand.PARTS):
        by_hand.backward(loss_of(torch.randn(ROWS, 1024, device="cuda")))
    by_hand.step(optimizer)
