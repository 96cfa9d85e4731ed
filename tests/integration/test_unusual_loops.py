# SPDX-License-Identifier: Apache-2.0
"""`strata exec`: loops with a teacher, with several optimizers that take turns, with one that steps
within backward, and with gradients that the program makes itself."""

import json
import sys

import pytest

BEGIN = """
import sys, torch
from torch import nn
torch.manual_seed(0)
device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
def network():
    return nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256)).to(device)
"""

TEACHER = (
    BEGIN
    + """
student, teacher = network(), network().requires_grad_(False)
optimizer = torch.optim.AdamW(student.parameters())
def train():
    values = torch.randn(1024, 256).to(device)
    with torch.no_grad():
        wanted = teacher(values)
    (student(values) - wanted).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
for _ in range(4):
    train()
"""
)

BY_HAND = (
    BEGIN
    + """
generator, critic = network(), network()
def update(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
            parameter.grad = None
def train():
    real = torch.randn(1024, 256).to(device)
    (critic(real).mean() - critic(generator(real).detach()).mean()).backward()
    update(critic)
    critic(generator(real)).mean().backward()
    update(generator)
    critic.zero_grad()
for _ in range(6):
    train()
"""
)

MARKED = (
    BEGIN
    + """
import strata_profiler as strata
generator, critic = network(), network()
optimizers = [torch.optim.Adam(model.parameters()) for model in (generator, critic)]
def train():
    strata.step()
    real = torch.randn(1024, 256).to(device)
    for loss in (lambda: critic(real).mean() - critic(generator(real).detach()).mean(), lambda: critic(generator(real)).mean()):
        loss().backward()
        optimizers[0].step()
        optimizers[1].step()
        generator.zero_grad()
        critic.zero_grad()
for _ in range(4):
    train()
"""
)

IN_BACKWARD = (
    BEGIN
    + """
model = nn.Sequential(*(network() for _ in range(3)))
optimizers = {parameter: torch.optim.AdamW([parameter], foreach=False) for parameter in model.parameters()}
def step(parameter):
    optimizers[parameter].step()
    optimizers[parameter].zero_grad()
for parameter in model.parameters():
    parameter.register_post_accumulate_grad_hook(step)
def train():
    values = torch.randn(1024, 256, device=device)
    (model(values) - values).square().mean().backward()
for _ in range(5):
    train()
"""
)

ASSIGNED = (
    BEGIN
    + """
model = network().to(torch.bfloat16)
masters = [parameter.detach().to("cpu", torch.float32, copy=True).requires_grad_() for parameter in model.parameters()]
optimizer = torch.optim.AdamW(masters)
for _ in range(4):
    values = torch.randn(64, 256, device=device, dtype=torch.bfloat16)
    (model(values) - values).square().mean().backward()
    for master, parameter in zip(masters, model.parameters()):
        master.grad = parameter.grad.to("cpu", torch.float32)
        parameter.grad = None
    optimizer.step()
    with torch.no_grad():
        for master, parameter in zip(masters, model.parameters()):
            parameter.copy_(master)
"""
)

BATCH = 1024 * 256 * 4  # bytes of a batch, and of a network's output for it
DRY = ["--dry", "a100-40gb"]

# An adversarial attack: the batch is a leaf, and the program reads its gradient.
LEAF = (
    BEGIN
    + """
model = network()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    values = torch.randn(1024, 256, device=device, requires_grad=True)
    model(values).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
)

ROLLOUTS = (
    BEGIN
    + """
model = network()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    observations = torch.randn(4096, 256, device=device)
    with torch.no_grad():
        model(observations)
    for part in observations.chunk(4):
        model(part).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
"""
)


def recorded(workspace, text, *words):
    workspace.write("program.py", text)
    device = "cuda" if "--dry" in words else "cpu"
    result = workspace.strata("exec", *words, "--out", "out", "--", sys.executable, "program.py", device)
    assert result.returncode == 0, result.stderr
    return json.loads((workspace.folder / "out/summary.json").read_text())


@pytest.mark.parametrize("words", [[], ["--layers"]], ids=["names", "layers"])
def test_what_a_teacher_makes_is_no_input(workspace, words):
    # In the first step it is one of the plain tensors that exist before the first forward with a
    # graph.
    summary = recorded(workspace, TEACHER, *DRY, "--set", "schedule.wait=1", *words)
    assert BATCH <= summary["categories"]["Input"]["max"] <= BATCH + 4096
    assert summary["categories"]["Unknown"]["max"] == 0


def test_a_batch_of_two_optimizers_without_names_is_input(workspace):
    summary = recorded(workspace, BY_HAND, *DRY, "--no-layers")  # with layers, the critic's argument is an input, too
    assert summary["categories"]["Optimizer_State"]["max"] == 0
    assert BATCH <= summary["categories"]["Input"]["max"] <= BATCH + 4096


def test_a_batch_of_two_optimizers_in_a_marked_step_is_input(workspace):
    summary = recorded(workspace, MARKED, *DRY, "--no-layers")
    assert BATCH <= summary["categories"]["Input"]["max"] <= BATCH + 4096
    assert summary["categories"]["Unknown"]["max"] == 0


@pytest.mark.parametrize("words", [[], DRY], ids=["cpu", "dry"])
def test_an_optimizer_that_steps_within_backward_ends_it_not(workspace, words):
    summary = recorded(workspace, IN_BACKWARD, *words)
    assert len(summary["steps"]) == 5
    assert summary["categories"]["Unknown"]["max"] == 0
    told = "SELECT DISTINCT text FROM host_tensor JOIN string ON string.id = name WHERE role = 5"
    assert {name for (name,) in workspace.query("out", told)} == {"exp_avg", "exp_avg_sq", "step"}
    nested = """
        SELECT count(*) FROM phase AS step JOIN phase AS around ON step.parent = around.phase
        WHERE step.name = 'AdamW.step' AND around.name = 'backward'"""
    assert workspace.query("out", nested) == [(5 * 12,)]
    assert "forward_residue" not in workspace.strata("report", "out").stdout


@pytest.mark.parametrize("words", [[], DRY], ids=["cpu", "dry"])
def test_a_gradient_that_the_program_assigns_is_one(workspace, words):
    recorded(workspace, ASSIGNED, *words)
    told = """
        SELECT (SELECT max(step) FROM host_step_begin AS s WHERE s.sequence < t.sequence) AS step, count(*) FROM host_tensor AS t
        JOIN string ON string.id = t.name WHERE role = 4 AND text LIKE 'param_groups%' GROUP BY 1"""
    assert workspace.query("out", told) == [(step, 4) for step in range(4)]
    result = workspace.strata("report", "out", "--device", "cpu", "--json")
    assert result.returncode == 0, result.stderr
    categories = json.loads(result.stdout)["categories"]
    assert categories["Unknown"]["max"] <= 0.01 * categories["Gradient"]["max"]
    assert categories["Gradient"]["max"] >= 2 * 256 * 512 * 4


@pytest.mark.parametrize("words", [[], DRY], ids=["cpu", "dry"])
def test_a_batch_that_requires_its_gradient_is_no_parameter(workspace, words):
    categories = recorded(workspace, LEAF, *words)["categories"]
    weights = 4 * (2 * 256 * 512 + 512 + 256)
    assert weights <= categories["Parameter"]["max"] <= weights + 4096
    assert BATCH <= categories["Input"]["max"] <= 2 * BATCH + 4096, "the next one is made before the last one goes"


def test_workspaces_of_a_program_with_one_step_are_workspaces(workspace):
    summary = recorded(workspace, LEAF.replace("range(4)", "range(1)"), *DRY)
    assert summary["peak"]["categories"]["Unknown"] == 0
    assert "cuBLAS workspace" in workspace.strata("report", "out").stdout


def test_observations_that_several_steps_learn_from_are_input(workspace):
    summary = recorded(workspace, ROLLOUTS, *DRY)
    assert summary["categories"]["Unknown"]["max"] == 0
    assert summary["categories"]["Input"]["max"] >= 4096 * 256 * 4
