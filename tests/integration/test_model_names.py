# SPDX-License-Identifier: Apache-2.0
"""`strata exec`: several models of one class have one name each, the same with `--layers` and
without, and so do copies that a program makes by hand."""

import json
import sys

import pytest

PARAMETER, AVERAGE, GRADIENT, INPUT = 1, 3, 4, 8

NET = """
import copy, torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(64, 64), nn.Linear(64, 64)
    def forward(self, values):
        return self.b(self.a(values).relu())
def train(student, teacher, steps=3, behind=lambda: None):
    optimizer = torch.optim.AdamW(student.parameters())
    for _ in range(steps):
        values = torch.randn(256, 64)
        with torch.no_grad():
            wanted = teacher(values)
        (student(values) - wanted).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        behind()
"""
VARIABLES = """
policy = Net()
reference = copy.deepcopy(policy).requires_grad_(False)
train(policy, reference)
"""
PROGRAMS = {
    "variables": (VARIABLES, "policy", "reference"),
    "a list": ("nets = [Net(), Net()]\nnets[1].requires_grad_(False)\ntrain(*nets)\n", "nets.0", "nets.1"),
    "attributes": (
        """
class Distillation:
    def __init__(self):
        self.student, self.teacher = Net(), Net()
        self.teacher.requires_grad_(False)
def main():
    both = Distillation()
    train(both.student, both.teacher)
main()
""",
        "student",
        "teacher",
    ),
    "local variables": (
        """
def main():
    one, two = Net(), Net()
    two.requires_grad_(False)
    train(one, two)
main()
""",
        "Net",
        "Net_1",
    ),
}


def names(workspace, role):
    told = f"SELECT DISTINCT text FROM host_tensor JOIN string ON string.id = name WHERE role = {role}"
    return {name for (name,) in workspace.query("out", told)}


def parts(prefix):
    return {f"{prefix}.{layer}.{kind}" for layer in "ab" for kind in ("weight", "bias")}


def gradients(workspace):
    """Return the parameters' names from their gradients. Attaching reports a gradient by the
    parameter's name; a search adds a suffix."""
    return {name.removesuffix(".grad") for name in names(workspace, GRADIENT)}


def recorded(workspace, text, *words):
    workspace.write("program.py", NET + text)
    result = workspace.strata("exec", *words, "--out", "out", "--", sys.executable, "program.py")
    assert result.returncode == 0, result.stderr
    assert "are not available" not in result.stderr


def rows(workspace):
    result = workspace.strata("report", "out", "--layers", "--depth", "1", "--json")
    assert result.returncode == 0, result.stderr
    return {row["path"]: row["total"] for row in json.loads(result.stdout)["layers"]}


@pytest.mark.parametrize("words", [[], ["--layers"]], ids=["names", "layers"])
@pytest.mark.parametrize("text, trained, frozen", PROGRAMS.values(), ids=PROGRAMS)
def test_each_model_has_a_name(workspace, text, trained, frozen, words):
    recorded(workspace, text, *words)
    assert names(workspace, PARAMETER) == parts(trained) | parts(frozen)
    assert gradients(workspace) == parts(trained)
    if words:
        paths = {path for (path,) in workspace.query("out", "SELECT DISTINCT path FROM module")}
        assert paths == {name + part for name in (trained, frozen) for part in ("", ".a", ".b")}


def test_all_of_a_model_is_in_its_row(workspace):
    recorded(workspace, VARIABLES, "--layers")
    layers = rows(workspace)
    assert layers["policy"]["Optimizer_State"] > layers["policy"]["Parameter"] > 0
    assert layers["policy"]["Activation"] > 0
    assert layers["reference"]["Parameter"] == layers["policy"]["Parameter"]
    assert layers["reference"]["Gradient"] == layers["reference"]["Optimizer_State"] == 0


@pytest.mark.parametrize("words", [[], ["--layers"]], ids=["names", "layers"])
def test_a_model_keeps_its_name_when_another_comes(workspace, words):
    """A later search of the program's objects finds an average of the only model, and new state."""
    recorded(
        workspace,
        """
net = Net()
averages = []
def behind():
    if not averages:
        averages.append(copy.deepcopy(net).requires_grad_(False))
        torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9).step()
    net(torch.randn(4, 64)).sum().backward()
    torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9).step()
train(net, net, behind=behind)
""",
        *words,
    )
    trained = {name.removeprefix("average.") for name in parts("average")}
    assert names(workspace, PARAMETER) == trained | parts("averages.0")
    assert gradients(workspace) == trained


def test_names_that_the_program_attaches_are_those_of_what_is_found(workspace):
    attached = VARIABLES.replace("train(", 'import strata_profiler as strata\nstrata.attach({"ours": policy, "theirs": reference})\ntrain(')
    recorded(workspace, attached)
    assert names(workspace, PARAMETER) == parts("ours") | parts("theirs")
    assert gradients(workspace) == parts("ours")


AVERAGES = {
    "dict": "average = {key: value.detach().clone() for key, value in model.state_dict().items()}\nvalues = lambda: average.values()",
    "list": "average = [parameter.detach().clone() for parameter in model.parameters()]\nvalues = lambda: average",
    "fields": (
        "class Average: pass\naverage = Average()\naverage.shadow = {name: p.data.clone() for name, p in model.named_parameters()}\n"
        "values = lambda: average.shadow.values()"
    ),
}
AVERAGED = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 64), torch.nn.Linear(64, 1))
table = torch.randn(100, 64)
weights = torch.randn(64, 64)
AVERAGE
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for row in range(3):
    optimizer.zero_grad()
    model(table[row] @ weights).sum().backward()
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(values(), model.parameters()):
            old.lerp_(new, 0.1)
"""


@pytest.mark.parametrize("average", AVERAGES.values(), ids=AVERAGES)
def test_an_average_that_is_kept_by_hand_is_no_input(workspace, average):
    workspace.write("averaged.py", AVERAGED.replace("AVERAGE", average))
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "averaged.py")
    assert result.returncode == 0, result.stderr
    assert names(workspace, AVERAGE) >= {f"copy.{name}" for name in names(workspace, PARAMETER)}
    assert names(workspace, INPUT) >= {"table", "weights"}


def test_what_has_a_weights_shape_by_chance_is_an_input(workspace):
    workspace.write("averaged.py", AVERAGED.replace("AVERAGE", "values = list"))
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "averaged.py")
    assert result.returncode == 0, result.stderr
    assert names(workspace, AVERAGE) == set()
    assert names(workspace, INPUT) >= {"table", "weights"}
