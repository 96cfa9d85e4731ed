# SPDX-License-Identifier: Apache-2.0
"""Activations on which a program sets requires_grad: they are leaves of the graph, as parameters
and batches may be, but they are neither."""

import json
import sys

import pytest

PROGRAM = """
import sys, torch
from torch import nn
kind = sys.argv[1]
class Embeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(1000, 512), nn.Embedding(64, 512)
    def forward(self, tokens):
        return self.words(tokens) + self.positions.weight
body = {"hook": lambda: nn.Embedding(1000, 512), "sum": Embeddings}.get(kind, lambda: nn.Sequential(nn.Linear(512, 512), nn.ReLU()))()
body = body.cuda().requires_grad_(False)
if kind == "hook":
    body.register_forward_hook(lambda module, inputs, output: output.requires_grad_(True))
head = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 8)).cuda()
optimizer = torch.optim.AdamW(head.parameters())
for _ in range(4):
    if kind in ("hook", "sum"):
        made = body(torch.randint(0, 1000, (512, 64), device="cuda"))
        if kind == "sum":
            made.requires_grad_(True)
    else:
        batch = torch.randn(32768, 512, device="cuda")
        with torch.set_grad_enabled(kind != "no_grad"):
            made = batch * 2 if kind == "batch" else body(batch)
        made = made.detach().requires_grad_(True)
    head(made).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
BYTES = 32768 * 512 * 4  # of each tensor made to require a gradient
LAYERS = {"layers": (), "operators": ("--no-layers",)}


@pytest.fixture
def record(workspace):
    """A function that records the program and returns all blocks of the size of such a tensor."""

    def run(kind, options):
        workspace.write("program.py", PROGRAM)
        done = workspace.strata("exec", "--dry", "a100-40gb", *options, "--out", "out", "--", sys.executable, "program.py", kind)
        assert done.returncode == 0, done.stderr
        summary = json.loads((workspace.folder / "out/summary.json").read_text())
        assert summary["categories"]["Unknown"]["max"] <= 0.01 * summary["peak"]["allocated_bytes"]
        blocks = json.loads(workspace.strata("report", "out", "--detail", "100%", "--json").stdout)["blocks"]
        return [block for block in blocks if block["bytes"] == BYTES]

    return run


def inputs_of(blocks):
    return sum(block["category"] == "Input" for block in blocks)


@pytest.mark.parametrize("options", LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize("kind", ["hook", "no_grad", "detached"])
def test_what_a_frozen_layer_made_is_an_activation(record, kind, options):
    blocks = record(kind, options)
    assert inputs_of(blocks) == (0 if kind == "hook" else 4)
    told = [block for block in blocks if block["shape"] and block["category"] == "Activation"]
    assert len(told) == 4 and {(block["kind"], block["tensor"]) for block in told} == {("saved", None)}
    assert sum(block["category"] == "Gradient" for block in blocks) == 4  # the gradient of each of them
    assert not any("parameter" in (block["tensor"] or "") for block in blocks)
    assert not any(block["category"] == "Parameter" for block in blocks)


def test_what_a_layer_adds_up_is_an_activation(record):
    assert inputs_of(record("sum", ())) == 0


@pytest.mark.parametrize("options", LAYERS.values(), ids=LAYERS)
def test_a_batch_stays_an_input(record, options):
    assert inputs_of(record("batch", options)) == 4 + 4  # the batch, and its product
