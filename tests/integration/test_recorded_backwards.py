# SPDX-License-Identifier: Apache-2.0
"""Backwards that autograd records (create_graph=True): the memory they leave, in programs recorded
on a dry card."""

import json
import sys

PROGRAM = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(1024, 2048), nn.Tanh(), nn.Linear(2048, 2048), nn.Tanh(), nn.Linear(2048, 10)).cuda()
for step in range(6):
    batch, target = torch.randn(512, 1024, device="cuda"), torch.randint(0, 10, (512,), device="cuda")
    nn.functional.cross_entropy(model(batch), target).backward(create_graph=True)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(parameter.grad.detach(), alpha=-1e-3)
    for parameter in model.parameters():
        parameter.grad.zero_()
print(torch.cuda.max_memory_allocated())
"""


def test_what_a_recorded_backward_keeps_is_an_activation(workspace):
    """A cycle of the parameters and their gradients keeps each backward's graph alive."""
    workspace.write("program.py", PROGRAM)
    done = workspace.strata("exec", "--dry", "a100-40gb", "--out", "out", "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert summary["peak"]["allocated_bytes"] == int(done.stdout)
    assert summary["categories"]["Unknown"]["max"] <= 0.01 * summary["peak"]["allocated_bytes"]
    blocks = json.loads(workspace.strata("report", "out", "--detail", "100%", "--json").stdout)["blocks"]
    kept = [block for block in blocks if (block["category"], block["kind"]) == ("Activation", "retained")]
    assert {block["phase"] for block in kept} == {"backward"}
    assert sum(block["bytes"] for block in kept) >= 6 * 2 * 512 * 2048 * 4  # two tensors of each tanh
    # A gradient that is zeroed in place starts no step.
    assert [step["index"] for step in summary["steps"]] == list(range(6))
