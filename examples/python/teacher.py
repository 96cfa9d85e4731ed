# SPDX-License-Identifier: Apache-2.0
"""A student that learns from a teacher without torch.no_grad(), which wastes memory.

    strata exec --dry h100-80gb --layers -- python examples/python/teacher.py
"""

import torch
from torch import nn


def model(width):
    hidden = [nn.Sequential(nn.Linear(width, width), nn.Tanh()) for _ in range(4)]
    return nn.Sequential(nn.Linear(256, width), *hidden, nn.Linear(width, 1024)).cuda()


student, teacher = model(512), model(1024)
optimizer = torch.optim.AdamW(student.parameters(), fused=True)
for _ in range(4):
    inputs = torch.randn(8192, 256).cuda()
    taught = teacher(inputs)  # under torch.no_grad() only its output is kept
    nn.functional.mse_loss(student(inputs), taught.detach()).backward()
    optimizer.step()
    optimizer.zero_grad()
