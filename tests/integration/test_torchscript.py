# SPDX-License-Identifier: Apache-2.0
"""A custom model, as torch.jit.save writes it, trains like any other, and like in Python."""

import json

import pytest
import torch
from torch import nn


class OwnModel(nn.Module):
    """An embedding, a gated layer with a buffer, and a head: none of these is in our models."""

    def __init__(self, vocab: int, width: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.inner = nn.ModuleDict({"up": nn.Linear(width, 2 * width), "down": nn.Linear(width, width)})
        self.head = nn.Linear(width, vocab)
        self.register_buffer("shift", torch.full((width,), 0.25))

    def forward(self, tokens):
        x = self.embedding(tokens)
        gate, value = self.inner["up"](x).chunk(2, -1)
        return self.head(x + self.inner["down"](torch.sigmoid(gate) * value) + self.shift)


class Pixels(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 8, 3, bias=False)
        self.head = nn.Linear(8, 10)

    def forward(self, images):
        return self.head(torch.relu(self.convolution(images)).mean((2, 3)))


YAML = """\
model: {name: torchscript, file: own.pt, vocab: 64, context: 16}
data: {source: hash, batch_size: 4}
optimizer: {name: sgd, lr: 0.1, weight_decay: 0}
schedule: {wait: 0, warmup: 0, active: 5}
backend: {threads: 1}
plugins: [allocator_tracer]
"""


def hashed(element, series):
    x = (element * 2654435761 + ((series + 1) * 40503 + 12345)) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 2246822519) & 0xFFFFFFFF
    x = ((x ^ (x >> 13)) * 3266489917) & 0xFFFFFFFF
    return x ^ (x >> 16)


def python_losses(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(steps):
        tokens = torch.tensor([hashed(i, 1000 + step) % 64 for i in range(4 * 17)]).view(4, 17)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.fixture
def own(workspace):
    torch.manual_seed(1)
    workspace.model = OwnModel(64, 32)
    torch.jit.script(workspace.model).save(workspace.folder / "own.pt")
    workspace.write("own.yaml", YAML)
    return workspace


def test_it_trains_as_in_python(own):
    result = own.strata("run", "own.yaml", "--out", "out", "--json")
    assert result.returncode == 0, result.stderr
    losses = [loss for (loss,) in own.query("out", "SELECT loss FROM step ORDER BY step")]
    assert losses == pytest.approx(python_losses(own.model, 5), abs=5e-6)
    names = {name for (name,) in own.query("out", "SELECT name FROM tensor WHERE role = 1")}
    assert names == {name for name, _ in own.model.named_parameters()}
    assert {name for (name,) in own.query("out", "SELECT name FROM tensor WHERE role = 2")} == {"shift"}
    summary = json.loads(result.stdout)
    parameters = sum(parameter.nbytes for parameter in own.model.parameters()) + own.model.shift.nbytes
    assert summary["peak"]["categories"]["Parameter"] == parameters
    assert summary["categories"]["Unknown"]["max"] == 0


@pytest.mark.parametrize(
    "words",
    [("--dry", "h100-80gb"), ("precision=bf16",), ("precision=bf16_autocast", "optimizer={name: adamw, impl: fused}")],
    ids=" ".join,
)
def test_it_trains_elsewhere_and_otherwise(own, words):
    result = own.strata("run", "own.yaml", "--out", "out", "--json", *words)
    assert result.returncode == 0, result.stderr
    assert len(json.loads(result.stdout)["steps"]) == 5


def test_it_may_take_images(workspace):
    torch.jit.script(Pixels()).save(workspace.folder / "own.pt")
    workspace.write(
        "own.yaml",
        "model: {name: torchscript, file: own.pt, task: image_class, image_size: 32, classes: 10}\n"
        "schedule: {wait: 0, warmup: 0, active: 2}\n",
    )
    result = workspace.strata("run", "own.yaml", "--out", "out")
    assert result.returncode == 0, result.stderr


def test_what_is_no_torchscript_is_said(own):
    own.write("own.pt", "text")
    result = own.strata("run", "own.yaml", "--out", "out")
    assert result.returncode == 1
    assert f"model.file: '{own.folder}/own.pt' is not TorchScript" in result.stderr
    assert "torch.jit.save" in result.stderr


def test_what_it_returns_must_be_logits(own):
    class Pair(nn.Module):
        def forward(self, tokens):
            return tokens, tokens

    torch.jit.script(Pair()).save(own.folder / "own.pt")
    result = own.strata("run", "own.yaml", "--out", "out")
    assert result.returncode == 1
    assert "its forward returned Tuple; it must return a tensor of logits" in result.stderr
