# SPDX-License-Identifier: Apache-2.0
"""`strata exec`: programs that touch their weights before the loop, or log them in it. No forward begins with that."""

import json
import sys

import pytest

PROGRAM = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 512)).cuda()
rate = dict(lr=0.01)
optimizer = torch.optim.SGD(model.parameters(), **rate)
def log(): pass
{before}
for _ in range(4):
    data = torch.randn(4096, 512, device="cuda")
    model(data).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    log()
"""
BATCH = 4096 * 512 * 4

TOUCHES = {
    "velocities by hand": "velocity = [torch.zeros_like(p) for p in model.parameters()]",
    "state of a constructor": "optimizer = torch.optim.Adagrad(model.parameters(), **rate)",
    "norms": "print(sum(p.norm() for p in model.parameters()).item())",
    "squares": "print(sum((p ** 2).sum() for p in model.parameters()).sqrt().item())",
    "norms that are stacked": "print(torch.stack([p.norm() for p in model.parameters()]).norm().item())",
    "a log of each step": "def log(): print(max(p.abs().max().item() for p in model.parameters()))",
}


@pytest.mark.parametrize("name", TOUCHES)
def test_the_batch_is_input_in_each_step(workspace, name):
    workspace.write("program.py", PROGRAM.format(before=TOUCHES[name]))
    done = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr
    blocks = workspace.strata("export", "out", "--format", "csv", "--what", "blocks", "--out", "-").stdout.splitlines()
    batches = [line.split(",")[2] for line in blocks if line.split(",")[1] == str(BATCH) and "aten::randn" in line]
    assert batches == ["Input"] * 4
    assert len(json.loads((workspace.folder / "out/summary.json").read_text())["steps"]) == 4
