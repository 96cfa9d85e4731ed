# SPDX-License-Identifier: Apache-2.0
"""`strata exec`: programs that touch or log their weights before the loop. This does not start a
forward."""

import csv
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


RUNNING = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(512, 1024), nn.ReLU())
        self.last = nn.Linear(1024, 512)
    def forward(self, data):
        data = data * 2
        return self.last(self.first(data).sigmoid()).tanh()
model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(3):
    data = torch.randn(4096, 512, device="cuda")
    {forward}
    loss.square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def layers_by_step(workspace):
    """Return the bytes that forward allocates in each layer, by step."""
    blocks = workspace.strata("export", "out", "--format", "csv", "--what", "blocks", "--out", "-").stdout
    steps = {}
    for row in csv.DictReader(blocks.splitlines()):
        if row["phase"] == "forward" and row["kind"] != "workspace" and int(row["bytes"]) > 4096:
            of_step = steps.setdefault(row["step"], {})
            of_step[row["module"]] = of_step.get(row["module"], 0) + int(row["bytes"])
    return steps


# Layers are first looked up at the first operator of the first forward, which is already inside two
# modules.
@pytest.mark.parametrize("before", ("", "try: model(torch.zeros(1, 1, device='cuda'))\n    except RuntimeError: pass\n    "), ids=("", "raises"))
def test_the_first_forward_has_the_layers_of_the_others(workspace, before):
    workspace.write("program.py", RUNNING.format(forward=before + "loss = model(data)"))
    done = workspace.strata("exec", "--dry", "h100-80gb", "--layers", "--out", "out", "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr
    steps = layers_by_step(workspace)
    assert set(steps["1"]) == {"(model)", "first.0", "first.1", "last", ""}  # the empty name is the loss
    assert steps["0"] == steps["1"] == steps["2"]


def test_a_profiler_of_the_program_stays(workspace):
    program = "import sys\ncalls = []\ndef profiler(*event): calls.append(event[1])\nsys.setprofile(profiler)\n" + RUNNING.format(forward="loss = model(data)")
    workspace.write("program.py", program + "assert sys.getprofile() is profiler and calls\n")
    done = workspace.strata("exec", "--dry", "h100-80gb", "--layers", "--out", "out", "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr
