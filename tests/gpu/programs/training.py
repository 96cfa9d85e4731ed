# SPDX-License-Identifier: Apache-2.0
"""Shared by the recorded programs. The recordings contain what they allocate, and when, so a change
here needs a card."""

import sys

import torch
import torch.nn.functional as F

DEVICE = "cuda"


def train(model, batch, loss_of, optimizer, autocast=None, steps=3):
    """Take steps on one batch; a step's loss lives until the next step has its own."""
    for _ in range(steps):
        with torch.autocast("cuda", dtype=autocast, enabled=autocast is not None):
            loss = loss_of(model, *batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def images(count, size=224):
    return torch.randn(count, 3, size, size, device=DEVICE), torch.randint(0, 1000, (count,), device=DEVICE)


def classification_loss(model, inputs, classes):
    return F.cross_entropy(model(inputs), classes)


def main(programs):
    """Run the program that the first argument names."""
    torch.manual_seed(0)
    programs[sys.argv[1]]()
    torch.cuda.synchronize()
    print(sys.argv[1], torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
