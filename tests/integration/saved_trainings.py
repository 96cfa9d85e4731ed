# SPDX-License-Identifier: Apache-2.0
"""Tiny trainings that are saved, and the contents of their checkpoints."""

import pytest
import torch

TINY = "{size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 16"
MODELS = {
    "transformer": TINY + "}",
    "gpt2": f"{TINY}, name: gpt2, dropout: 0.1}}",
    "distilbert": f"{TINY}, name: distilbert, dropout: 0.1}}",
    "qwen": "{name: qwen, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 4, kv_heads: 2, vocab: 256, context: 16}",
    "resnet18": "{name: resnet18, image_size: 32, classes: 10}",
}
SAVED_AT, STEPS = 2, 5


@pytest.fixture
def training(workspace):
    """A workspace that contains training.yaml, which has five steps."""
    workspace.write("text.txt", "strata are layers of rock, one upon the other\n" * 40)
    workspace.write(
        "training.yaml",
        f"model: {MODELS['transformer']}\n"
        "data: {source: synthetic, batch_size: 2}\n"
        f"schedule: {{wait: 0, warmup: 1, active: {STEPS - 1}}}\n"
        "backend: {threads: 1}\n",
    )
    return workspace


def run(workspace, out, *overrides):
    result = workspace.strata("run", "training.yaml", "--out", out, *overrides)
    assert result.returncode == 0, result.stderr
    return result


def losses(workspace, out):
    return dict(workspace.query(out, "SELECT step, loss FROM step ORDER BY step"))


def checkpoint(workspace, out, steps):
    return workspace.folder / out / "checkpoints" / f"step_{steps}.pt"


def saved_files(workspace, out):
    return sorted(path.name for path in (workspace.folder / out / "checkpoints").iterdir())


def load(path):
    return torch.load(path, weights_only=True)


def memory(tensor):
    """All bytes of the tensor's storage, including those that its view does not show."""
    return torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())


def difference(left, right, place="checkpoint"):
    """Return where the two differ in any bit (tensors with their whole storage), or None if they
    are equal."""
    if isinstance(left, dict):
        if list(left) != list(right):
            return f"{place}: {list(left)} and {list(right)}"
        found = (difference(left[key], right[key], f"{place}.{key}") for key in left)
        return next((place for place in found if place), None)
    if isinstance(left, torch.Tensor):
        same = (left.dtype, left.shape, left.stride(), left.storage_offset()) == (
            right.dtype,
            right.shape,
            right.stride(),
            right.storage_offset(),
        )
        return None if same and torch.equal(memory(left), memory(right)) else place
    return None if left == right else f"{place}: {left} and {right}"
