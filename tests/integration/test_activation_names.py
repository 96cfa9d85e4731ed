# SPDX-License-Identifier: Apache-2.0
"""Activations that lifetimes alone cannot name: autocast's copies of weights, and what checkpointed
layers keep, to the byte."""

import dataclasses
import json

import pytest
from exported import export, table
from test_combinations import MODELS

STEPS, BATCH, CONTEXT, WIDTH = 3, 2, 32, 32
GENERATOR = 5056  # the CPU generator's state
DEVICES = {"cpu": 1, "{dry: h100-80gb}": 512}  # block sizes are multiples of this
UNSPLIT = 2**20  # the remainder of a CUDA block of at least this size is not split off
on_both_devices = pytest.mark.parametrize("device", DEVICES, ids=["cpu", "dry"])


def train(workspace, device, model, checkpointing="none", precision="fp32", *more, out="out"):
    scaler = ["grad_scaler: {init_scale: 1.0}"] if precision == "fp16_autocast" else []
    lines = [
        f"model: {MODELS[model]}",
        f"data: {{batch_size: {BATCH}}}",
        f"checkpointing: {checkpointing}",
        f"precision: {precision}",
        f"device: {device}",
        *([] if any(line.startswith("schedule") for line in more) else [f"schedule: {{wait: 0, warmup: 1, active: {STEPS - 1}}}"]),
        "backend: {threads: 1}",
        "plugins: [allocator_tracer]",
        *scaler,
        *more,
    ]
    workspace.write("run.yaml", "\n".join(lines))
    result = workspace.strata("run", "run.yaml", "--out", out)
    assert result.returncode == 0, result.stderr
    return table(export(workspace, out, "csv", "--what", "blocks"))


def bytes_of(blocks, kind, step, phase=None):
    return sum(int(b["bytes"]) for b in blocks if (b["kind"], b["step"]) == (kind, str(step)) and phase in (None, b["phase"]))


@dataclasses.dataclass(frozen=True)
class Casts:
    """The parameters that autocast copies in a forward: those of matrix products and
    convolutions."""

    model: str
    ones_with: tuple
    but: tuple = ()

    def are_of(self, name):
        return any(part in name for part in self.ones_with) and not any(part in name for part in self.but)


CASTS = {
    casts.model: casts
    for casts in (
        Casts("transformer", ("attn.", "ffn.", "lm_head."), but=("norm", "ln")),
        Casts("llama", ("_proj.", "lm_head.")),
        Casts("gpt2", ("attn.", "mlp.", "wte.")),  # the token embedding is also the head's weight
        Casts("resnet18", ("conv", "shortcut.0", "downsample.0", "fc.")),
    )
}


def parameters(workspace):
    return dict(
        workspace.query(
            "out", "SELECT s.text, max(t.storage_bytes) FROM host_tensor t JOIN string s ON s.id = t.name WHERE t.role = 1 GROUP BY s.text"
        )
    )


def copied(workspace, model, device, of=lambda name: True):
    """Return the size of each copy that autocast makes of a parameter: half of the parameter's."""
    granule = DEVICES[device]
    return {
        name: -(-(size // 2) // granule) * granule
        for name, size in parameters(workspace).items()
        if CASTS[model].are_of(name) and of(name)
    }


def is_in_a_layer(name):
    return any(part.isdigit() for part in name.split("."))


@on_both_devices
@pytest.mark.parametrize("precision", ["bf16_autocast", "fp16_autocast"])
@pytest.mark.parametrize("model", CASTS)
def test_autocast_copies_each_weight_once_a_forward(workspace, device, model, precision):
    blocks = train(workspace, device, model, precision=precision)
    dtype = {"bf16_autocast": "bfloat16", "fp16_autocast": "float16"}[precision]
    expected = {f"{name}.{dtype}": size for name, size in copied(workspace, model, device).items()}
    for step in map(str, range(STEPS)):
        copies = [b for b in blocks if (b["kind"], b["step"]) == ("autocast_copy", step)]
        assert sorted(b["owner"] for b in copies) == sorted(expected)
        for copy in copies:
            rest = int(copy["bytes"]) - expected[copy["owner"]]
            assert 0 <= rest < UNSPLIT if device != "cpu" and expected[copy["owner"]] > UNSPLIT else rest == 0
    assert not any(b["category"] == "Unknown" for b in blocks)


@on_both_devices
@pytest.mark.parametrize("checkpointing", ["block", "{every: 1, reentrant: true}"])
@pytest.mark.parametrize("model", ["transformer", "gpt2"])
def test_a_layer_that_runs_again_has_its_weights_copied_again(workspace, device, model, checkpointing):
    blocks = train(workspace, device, model, checkpointing, "bf16_autocast")
    once = sum(copied(workspace, model, device).values())
    again = sum(copied(workspace, model, device, is_in_a_layer).values())
    for step in range(STEPS):
        assert bytes_of(blocks, "autocast_copy", step, "forward") == once
        assert bytes_of(blocks, "autocast_copy", step, "backward") == again


@on_both_devices
def test_without_a_graph_the_copies_have_their_name_too(workspace, device):
    blocks = train(workspace, device, "llama", "none", "bf16_autocast", "mode: forward")
    assert bytes_of(blocks, "autocast_copy", 1) == sum(copied(workspace, "llama", device).values())


def test_full_precision_makes_no_copies(workspace):
    assert not any(b["kind"] == "autocast_copy" for b in train(workspace, "cpu", "llama"))


def test_steps_traced_without_operators_have_the_copies_of_equal_steps(workspace):
    schedule = "schedule: {wait: 2, warmup: 0, active: 1}"
    for out, more in (("out", ()), ("all", ("trace: {ops: run}",))):
        blocks = train(workspace, "cpu", "llama", "none", "bf16_autocast", schedule, *more, out=out)
        expected = sum(copied(workspace, "llama", "cpu").values())
        assert [bytes_of(blocks, "autocast_copy", step) for step in range(3)] == [expected] * 3
        assert not any(b["category"] == "Unknown" for b in blocks)
    blocks = train(workspace, "cpu", "llama", "none", "bf16_autocast", schedule, "trace: {ops: none}", out="none")
    assert not any(b["kind"] == "autocast_copy" for b in blocks), "lifetimes alone do not know them"


STREAM = BATCH * CONTEXT * WIDTH * 4
MASK = BATCH * CONTEXT * CONTEXT * 4
TURNS = 2 * CONTEXT * (WIDTH // 2) * 4  # cosines and sines of a head's features

CHECKPOINTS = {
    ("transformer", "none"): (0, 0),
    ("transformer", "block"): (2, 0),
    ("transformer", "{every: 2}"): (1, 0),
    ("transformer", "{select: attention}"): (2, 0),
    ("transformer", "{every: 1, reentrant: true}"): (2, 0),
    ("distilbert", "block"): (2, 0),
    ("gpt2", "block"): (2, MASK),
    ("gpt2", "{select: mlp}"): (2, 0),
    ("llama", "block"): (2, MASK + TURNS),
    ("llama", "{select: attention, reentrant: true}"): (2, MASK + TURNS),
}


@on_both_devices
@pytest.mark.parametrize(("model", "checkpointing"), CHECKPOINTS)
def test_a_checkpointed_layer_keeps_its_input_and_little_else(workspace, device, model, checkpointing):
    layers, beside = CHECKPOINTS[model, checkpointing]
    of_a_layer = STREAM + (GENERATOR if device == "cpu" else 0)
    blocks = train(workspace, device, model, checkpointing)
    for step in range(STEPS):
        assert bytes_of(blocks, "checkpoint_input", step) == layers * of_a_layer + beside
    assert not any(b["category"] == "Unknown" for b in blocks)


def test_a_batch_that_a_layer_keeps_stays_an_input(workspace):
    blocks = train(workspace, "cpu", "resnet18", "block")
    images = BATCH * 3 * 32 * 32 * 4
    assert [b["kind"] for b in blocks if int(b["bytes"]) == images and b["step"] == "1" and b["phase"] == "data"] == ["input"]
    assert sum(b["kind"] == "checkpoint_input" and int(b["bytes"]) != GENERATOR for b in blocks if b["step"] == "1") == 8


def test_an_offloaded_input_leaves_the_device_until_its_layer_runs_again(workspace):
    blocks = train(workspace, "{dry: h100-80gb}", "transformer", "{every: 1, offload: true}")
    for step in range(STEPS):
        assert bytes_of(blocks, "checkpoint_input", step, "forward") == 0
        assert bytes_of(blocks, "checkpoint_input", step, "backward") == 2 * STREAM
    memory = {other["device"]: other for other in json.loads((workspace.folder / "out/summary.json").read_text())["other_memory"]}
    assert memory["pinned"]["peak_offloaded_bytes"] == 2 * STREAM
    offloaded = f"{2 * STREAM / 2**20:.3f} MiB of them offloaded activations"
    assert offloaded in workspace.strata("report", "out").stdout
    assert not any(b["category"] == "Unknown" for b in blocks)


@pytest.mark.parametrize("precision", ["fp32", "bf16_autocast"])
def test_offloading_changes_no_loss(workspace, precision):
    losses = {}
    for checkpointing in ("{every: 1}", "{every: 1, offload: true}"):
        out = f"out{len(losses)}"
        blocks = train(workspace, "cpu", "gpt2", checkpointing, precision, "seed: 3", out=out)
        summary = json.loads((workspace.folder / out / "summary.json").read_text())
        losses[checkpointing] = workspace.query(out, "SELECT loss FROM step ORDER BY step")
        assert summary["categories"]["Unknown"]["max"] == 0
    assert bytes_of(blocks, "offloaded", 1) == 2 * STREAM
    first, second = losses.values()
    assert first == second and len(first) == STEPS and first[0] != first[-1]
