# SPDX-License-Identifier: Apache-2.0
"""Ten forwards, one backward of the sum of their losses."""

import by_hand
import torch
from torch import nn

ROWS = 1024 // by_hand.PARTS
net = nn.Sequential(*[part for _ in range(6) for part in (nn.Linear(1024, 1024), nn.Tanh())]).cuda()
optimizer = by_hand.optimizer(torch.optim.SGD, net.parameters(), lr=0.1, **({"fused": True} if by_hand.HOW not in ("foreach", "loop") else {}))


def run(x):
    return by_hand.run_blocks([net[at : at + 2] for at in range(0, 12, 2)], x) if by_hand.TOGETHER else net(x)


for step in range(8):
    for _ in range(by_hand.PARTS):
        total = 0
        with by_hand.format_of_numbers():
            for z in range(10):
                with by_hand.saved_tensors():
                    y = run(torch.randn(ROWS, 1024, device="cuda"))
                term = y.square().mean()
                if by_hand.HOW == "each":
                    term.backward()
                    total = total + term.detach()
                else:
                    total = total + term
        if by_hand.HOW != "each":
            if by_hand.PARTS > 1:
                total = total / by_hand.PARTS
            by_hand.backward(total)
    by_hand.step(optimizer)
    optimizer.zero_grad()
