# SPDX-License-Identifier: Apache-2.0
"""Gradients whose bytes are in an unusual place: in buckets that ranks exchange, or freed by an
optimizer that steps within backward."""

import itertools

import pytest
from exported import export, table

CONFIG = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 64, context: 16}
data: {batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""
SEED = 4  # bytes of the gradient of the scalar loss
STEPS = 3


@pytest.fixture
def train(workspace):
    """A function that returns the blocks of a run with these settings, and the bytes of its
    parameters."""

    def train(*settings):
        workspace.write("run.yaml", CONFIG)
        result = workspace.strata("run", "run.yaml", "--out", "out", *settings)
        assert result.returncode == 0, result.stderr
        blocks = table(export(workspace, "out", "csv", "--what", "blocks"))
        assert not any(block["category"] == "Unknown" for block in blocks)
        return blocks, total(blocks, "parameter")

    return train


def total(blocks, kind, step=None):
    return sum(int(b["bytes"]) for b in blocks if b["kind"] == kind and step in (None, b["step"]))


def most_alive(blocks, kind):
    """Return the maximum bytes of that kind at one time."""
    changes = []
    for block in blocks:
        if block["kind"] == kind:
            changes += [(int(block["birth_sequence"]), int(block["bytes"])), (int(block["death_sequence"]), -int(block["bytes"]))]
    return max(itertools.accumulate(change for _, change in sorted(changes)))


@pytest.mark.parametrize("views", ["true", "false"])
def test_a_bucket_is_one_block_of_many_gradients(train, views):
    blocks, parameters = train("world_size=2", f"ddp.gradient_as_bucket_view={views}")
    assert total(blocks, "bucket") == 2 * parameters  # recreated after the first step, in the order in which gradients came
    for step in map(str, range(STEPS)):
        own = 0 if views == "true" else parameters
        assert total(blocks, "gradient", step) == own + SEED


LARGEST_PARAMETER = 64 * 32 * 4


def test_an_optimizer_in_backward_has_one_gradient_at_a_time(train):
    blocks, parameters = train("optimizer={name: adamw, per_layer: true}")
    for step in map(str, range(STEPS)):
        assert total(blocks, "gradient", step) == parameters + SEED
    assert most_alive(blocks, "gradient") == LARGEST_PARAMETER + SEED
    assert total(blocks, "state") == 2 * parameters
