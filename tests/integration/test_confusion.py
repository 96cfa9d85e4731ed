# SPDX-License-Identifier: Apache-2.0
"""Blocks that lifetimes alone label differently from autograd: on every model, with every
checkpointing, each difference has its cause.

A run with `trace.saved_tensors: true` knows which tensors autograd saved. summary.json lists the
blocks that the rules would label differently without that knowledge. CAUSES explains each kind of
them and gives the number and size of its blocks. The test fails if a kind is missing there, or if a
cause has no blocks. No byte may be in a different category.
"""

import dataclasses
import itertools
import json
import typing

import pytest
import torch
from test_combinations import MODELS as CUSTOM
from test_torchscript import OwnModel

MODELS = {
    **CUSTOM,
    "distilbert": CUSTOM["distilbert"].replace("context: 32", "context: 32, dropout: 0.1"),
    "torchscript": "{name: torchscript, file: own.pt, vocab: 64, context: 16}",
}
CHECKPOINTING = {
    "none": "none",
    "block": "block",
    "every second block": "{every: 2}",
    "block, reentrant": "{every: 1, reentrant: true}",
    "every second block, reentrant": "{every: 2, reentrant: true}",
    "attention": "{select: attention}",
    "attention, reentrant": "{select: attention, reentrant: true}",
    "mlp": "{select: mlp}",
    "mlp, reentrant": "{select: mlp, reentrant: true}",
}
PRECISIONS = ("fp32", "bf16_autocast", "fp16_autocast", "bf16")
DEVICES = ("cpu", "{dry: h100-80gb}")
STEPS, BATCH, CONTEXT, WIDTH = 3, 2, 32, 32
BLOCKS = {"resnet18": 8, "resnet50": 16}  # the other models have 2
IMAGES = tuple(BLOCKS)


@dataclasses.dataclass(frozen=True)
class Case:
    model: str
    checkpointing: str
    precision: str
    device: str

    @property
    def is_possible(self):
        if self.model == "torchscript":
            return self.checkpointing == "none"
        return self.model not in IMAGES or not self.part

    @property
    def part(self):
        """The part of each block that is checkpointed; empty means the whole block."""
        part = self.checkpointing.split(",")[0]
        return part if part in ("attention", "mlp") else ""

    @property
    def is_reentrant(self):
        return self.checkpointing.endswith("reentrant")

    @property
    def checkpointed(self):
        """The number of checkpointed parts in the model."""
        blocks = BLOCKS.get(self.model, 2)
        return {"none": 0, "every second block": blocks // 2}.get(self.checkpointing.removesuffix(", reentrant"), blocks)

    @property
    def item_bytes(self):
        return 2 if self.precision == "bf16" else 4

    @property
    def product_bytes(self):
        """The bytes of one element of a matrix product."""
        return 4 if self.precision == "fp32" else 2


class Label(typing.NamedTuple):
    category: str
    kind: str


RESIDUE = Label("Activation", "forward_residue")
RECOMPUTE = Label("Activation", "recompute")


@dataclasses.dataclass(frozen=True)
class Cause:
    truth: Label
    lifetimes: Label
    why: str
    op: typing.Callable[[Case], str]
    # In one step; no blocks where the case does not have this cause.
    blocks: typing.Callable[[Case], int]
    block_bytes: typing.Callable[[Case], int]


def output_op(case):
    """The last operator of a block, or of its attention or mlp if only that is checkpointed."""
    if not case.part:
        return "aten::native_layer_norm" if case.model == "distilbert" else "aten::add"
    if case.model == "gpt2" or (case.model, case.part) == ("distilbert", "mlp"):
        return "aten::mul" if case.device == "cpu" else "aten::native_dropout"
    return {"transformer": "aten::bmm", "distilbert": "aten::addmm"}.get(case.model, "aten::mm")


CAUSES = [
    Cause(
        RESIDUE,
        RECOMPUTE,
        "The output of a layer that ran again, which reentrant checkpointing holds until the backward within is through, as the"
        " graph would if an operator had saved it. (A ResNet's last operator does: a ReLU.)",
        output_op,
        lambda case: case.checkpointed if case.is_reentrant and case.model not in IMAGES else 0,
        lambda case: BATCH * CONTEXT * WIDTH * (case.product_bytes if case.part else case.item_bytes),
    ),
]


def expected(case):
    """Each expected disagreement: the blocks and bytes of the run, by the two labels and the
    operator."""
    return {
        (cause.truth, cause.lifetimes, cause.op(case)): (blocks, blocks * cause.block_bytes(case))
        for cause in CAUSES
        if (blocks := STEPS * cause.blocks(case)) > 0
    }


def yaml_of(case):
    # At this scale no step is skipped: a deep model's gradients overflow at the usual one.
    scaler = "grad_scaler: {init_scale: 1.0}\n" if case.precision == "fp16_autocast" else ""
    return f"""\
model: {MODELS[case.model]}
data: {{batch_size: {BATCH}}}
checkpointing: {CHECKPOINTING[case.checkpointing]}
precision: {case.precision}
{scaler}device: {case.device}
schedule: {{wait: 0, warmup: 1, active: {STEPS - 1}}}
backend: {{threads: 1}}
plugins: [allocator_tracer]
trace: {{saved_tensors: true}}
"""


def possible_pairs():
    """Each model with each possible checkpointing; precisions and devices vary. A case covers every
    pair of values, except that a TorchScript model, which cannot be checkpointed, has only two
    precisions."""
    for (nth, model), (mth, checkpointing) in itertools.product(enumerate(MODELS), enumerate(CHECKPOINTING)):
        case = Case(model, checkpointing, PRECISIONS[(nth + mth) % 4], DEVICES[(nth + mth // 4) % 2])
        if case.is_possible:
            yield case


QUICK = [
    Case("transformer", "block, reentrant", "fp32", "cpu"),
    Case("transformer", "attention", "bf16", "cpu"),
    Case("llama", "attention, reentrant", "bf16_autocast", "cpu"),
    Case("gpt2", "every second block, reentrant", "fp32", "cpu"),
    Case("gpt2", "block", "fp16_autocast", "cpu"),
    Case("qwen", "block", "bf16", "{dry: h100-80gb}"),
    Case("distilbert", "block, reentrant", "bf16_autocast", "{dry: h100-80gb}"),
    Case("resnet18", "block, reentrant", "fp32", "{dry: h100-80gb}"),
    Case("resnet50", "none", "bf16_autocast", "{dry: h100-80gb}"),
    Case("torchscript", "none", "fp16_autocast", "cpu"),
]
CASES = list(dict.fromkeys([*QUICK, *possible_pairs()]))


def name_of(case):
    return " ".join(dataclasses.astuple(case)).replace(",", "").replace("{dry: h100-80gb}", "dry")


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=name_of(case), marks=[] if case in QUICK else pytest.mark.long) for case in CASES]
)
def test_every_difference_from_autograd_has_a_cause(workspace, case):
    if case.model == "torchscript":
        torch.jit.script(OwnModel(64, 32)).save(workspace.folder / "own.pt")
    workspace.write("case.yaml", yaml_of(case))
    result = workspace.strata("run", "case.yaml", "--out", "out", "--json")
    assert result.returncode == 0, result.stderr
    check = json.loads(result.stdout)["checks"]["saved_tensors"]
    assert check["blocks_compared"] > 10
    found = {
        (Label(**entry["truth"]), Label(**entry["lifetimes"]), entry["op"]): (entry["blocks"], entry["bytes"])
        for entry in check["disagreements"]
    }
    assert found == expected(case)
    assert all(truth.category == lifetimes.category for truth, lifetimes, _ in found)
    assert check["bytes_labelled_differently"] == sum(bytes_ for _, bytes_ in found.values())


def test_each_cause_is_seen_in_an_ordinary_test():
    assert all(any(cause.blocks(case) > 0 for case in QUICK) for cause in CAUSES)
