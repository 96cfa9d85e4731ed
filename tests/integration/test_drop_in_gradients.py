# SPDX-License-Identifier: Apache-2.0
"""`strata exec`: each gradient of each step has its owner, whether Strata inspects backward's nodes
or skips them once it knows what they do."""

import json
import sys

import pytest

STEPS = 40
GRADIENT = 4  # STRATA_TENSOR_GRADIENT

BEGIN = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(6)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
LOOP = """
for step in range({steps}):
    {first}
    optimizer.zero_grad()
    model(torch.rand(4, 8)).sum().backward()
    optimizer.step()
"""
PROGRAMS = {
    "plain": BEGIN + LOOP.format(steps=STEPS, first="pass"),
    "kept": BEGIN + LOOP.format(steps=STEPS, first="pass").replace("zero_grad()", "zero_grad(set_to_none=False)"),
    "two losses": """
import torch
from torch import nn
torch.manual_seed(0)
one, two = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 8))
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in (one, two)]
for _ in range(STEPS):
    for model, optimizer in zip((one, two), optimizers):
        optimizer.zero_grad()
        model(torch.rand(4, 8)).sum().backward()
        optimizer.step()
""".replace("STEPS", str(STEPS)),
}
PARAMETERS = {"plain": 12, "kept": 12, "two losses": 2}


def gradients_of_steps(workspace, text, *words):
    """Return the names of the gradients reported in each step."""
    workspace.write("program.py", text)
    result = workspace.strata("exec", *words, "--out", "out", "--", sys.executable, "program.py")
    assert result.returncode == 0, result.stderr
    told = workspace.query(
        "out",
        "SELECT (SELECT max(step) FROM host_step_begin AS s WHERE s.sequence < t.sequence), text "
        f"FROM host_tensor AS t JOIN string ON string.id = t.name WHERE role = {GRADIENT} ORDER BY t.sequence",
    )
    steps = {}
    for step, name in told:
        steps.setdefault(step, set()).add(name)
    return steps


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("operators", ["none", "window"])
def test_every_gradient_of_every_step_is_told(workspace, name, operators):
    steps = gradients_of_steps(workspace, PROGRAMS[name], "--set", f"trace.ops={operators}")
    counts = {len(names) for step, names in steps.items() if step is not None}
    assert min(counts) == PARAMETERS[name], steps  # more where gradients of an earlier backward still exist
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert summary["categories"]["Unknown"]["max"] == 0


def test_a_parameter_that_is_trained_later_is_found_soon(workspace):
    frozen = BEGIN + "model[0].requires_grad_(False)\n" + LOOP.format(steps=STEPS, first=f"if step == {STEPS // 2}: model[0].requires_grad_(True)")
    steps = gradients_of_steps(workspace, frozen, "--set", "trace.ops=none")
    assert all(len(steps[step]) == 10 for step in range(STEPS // 2))
    found = [step for step in sorted(steps) if len(steps[step]) == 12]
    assert found and found[0] <= STEPS // 2 + 8
    assert found == list(range(found[0], STEPS))


def test_a_backward_that_fails_is_followed_by_others(workspace):
    failing = BEGIN + f"""
class Fails(torch.autograd.Function):
    @staticmethod
    def forward(context, values):
        return values.clone()
    @staticmethod
    def backward(context, gradient):
        raise ValueError("on purpose")
for step in range({STEPS}):
    optimizer.zero_grad()
    values = model(torch.rand(4, 8))
    if step == {STEPS // 2}:
        try:
            Fails.apply(values).sum().backward()
        except ValueError:
            print("failed")
    values = model(torch.rand(4, 8))
    values.sum().backward()
    optimizer.step()
"""
    steps = gradients_of_steps(workspace, failing, "--set", "trace.ops=none")
    assert {len(steps[step]) for step in range(STEPS)} == {12}


def test_gradients_that_are_gone_before_backward_ends(workspace):
    """The optimizer steps in a hook of each gradient. Strata always inspects such a node, and its
    writes are not taken for an unseen step."""
    within = """
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(6)))
optimizers = {weight: torch.optim.SGD([weight], lr=0.1) for weight in model.parameters()}
def step(weight):
    optimizers[weight].step()
    weight.grad = None
for weight in model.parameters():
    weight.register_post_accumulate_grad_hook(step)
for _ in range(STEPS):
    model(torch.rand(4, 8)).sum().backward()
""".replace("STEPS", str(STEPS))
    gradients_of_steps(workspace, within, "--set", "trace.ops=none")
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert len(summary["steps"]) == STEPS
