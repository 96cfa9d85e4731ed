# SPDX-License-Identifier: Apache-2.0
"""`strata advise -- python train.py`: each number beside the peak of the program with that change in its source, to the byte."""

import json
import sys

import pytest
from workspaces import REPOSITORY, Workspace

AT_START = REPOSITORY / "python/strata_profiler/trial/at_start"
CARD = "h100-80gb"

# The last word is the change that is made by hand.
BLOCKS = """
import contextlib, sys, torch
from torch import nn
from torch.utils.checkpoint import checkpoint
how = sys.argv[-1]
parts = {"half": 2, "quarter": 4}.get(how, 1)
together = {"checkpoint every block": 1, "checkpoint 2 blocks in one": 2}.get(how, 0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 64)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True) for _ in range(4))
        self.head = nn.Linear(64, 1000)

    def forward(self, tokens):
        x = self.embedding(tokens)
        if together:
            for at in range(0, 4, together):
                x = checkpoint(nn.Sequential(*self.blocks[at : at + together]), x, use_reentrant=False)
        else:
            for block in self.blocks:
                x = block(x)
        return self.head(x)


def loss_of(rows, targets):
    if how != "cross_entropy in 8 pieces":
        return nn.functional.cross_entropy(rows, targets)
    sum_of = lambda some, theirs: nn.functional.cross_entropy(some, theirs, reduction="sum")
    loss = 0
    for some, theirs in zip(rows.chunk(8), targets.chunk(8)):
        loss = loss + checkpoint(sum_of, some, theirs, use_reentrant=False)
    return loss / len(targets)


model = Model().cuda()
form = {"a fused optimizer": {"fused": True}, "an optimizer loop": {"foreach": False, "fused": False}}.get(how, {})
optimizer = torch.optim.Adafactor(model.parameters()) if how == "Adafactor" else torch.optim.AdamW(model.parameters(), **form)
scaler = torch.amp.GradScaler("cuda", enabled=how == "fp16 autocast")
formats = {"bf16 autocast": torch.bfloat16, "fp16 autocast": torch.float16}
for step in range(8):
    for _ in range(parts):
        tokens = torch.randint(0, 1000, (16 // parts, 65), device="cuda")
        with torch.autocast("cuda", formats[how]) if how in formats else contextlib.nullcontext():
            host = torch.autograd.graph.save_on_cpu(pin_memory=True)
            with host if how == "saved tensors on the host" else contextlib.nullcontext():
                logits = model(tokens[:, :-1])
            loss = loss_of(logits.flatten(0, 1), tokens[:, 1:].flatten())
        if parts > 1:
            loss = loss / parts
        scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    with torch.no_grad() if how == "no_grad where no backward comes" else contextlib.nullcontext():
        model(torch.zeros(4, 64, dtype=torch.long, device="cuda"))
"""

# What a loop of one's own may hold: a loader, a scaler, a schedule, the sum of several losses, zeros in place of no gradients.
LOOP = """
import sys, torch
from torch import nn
how = sys.argv[-1]
parts = {"half": 2, "quarter": 4}.get(how, 1)
net = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, fused=True)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scaler = torch.amp.GradScaler("cuda")
for index, (x, y) in enumerate(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(4096, 256), torch.randn(4096, 256)), batch_size=256 // parts)):
    x, y, total = x.cuda(), y.cuda(), 0
    for _ in range(3):
        loss = nn.functional.mse_loss(net(x), y)
        if how == "a backward for each loss":
            scaler.scale(loss).backward()
            total = total + loss.detach()
        else:
            total = total + loss
    if how != "a backward for each loss":
        scaler.scale(total / parts if parts > 1 else total).backward()
    if (index + 1) % parts == 0:
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        optimizer.zero_grad(set_to_none=how == "gradients set to none")
"""

# Nothing that repeats, and what is there is what would be advised.
PLAIN = """
import torch
from torch import nn
model = nn.Linear(512, 512).cuda()
run = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
for step in range(2):
    run(torch.randn(7, 512, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


class Advised:
    """What is advised of a program, and its peak with a change by hand."""

    def __init__(self, workspace, text):
        self._workspace = workspace
        workspace.write("train.py", text)
        result = workspace.strata("advise", "--device", CARD, "--json", "--", sys.executable, "train.py", "base")
        assert result.returncode == 0, result.stderr
        self.found = json.loads(result.stdout)
        self.bytes = {each["changes"][0]["name"]: each["allocated_bytes"] for each in self.found["alone"]}
        self.refused = {each["name"]: each["reason"] for each in self.found["refused"]}

    def by_hand(self, word):
        """Up to the optimizer's second step."""
        words = ("exec", "--plugins", "allocator_tracer", "--dry", CARD, "--out", word.replace(" ", "_"), "--", sys.executable, "train.py", word)
        result = self._workspace.strata(*words, PYTHONPATH=str(AT_START), STRATA_TRIAL_STEPS="2")
        assert result.returncode == 0, result.stderr
        summary = json.loads((self._workspace.folder / word.replace(" ", "_") / "summary.json").read_text())
        return summary["peak"]["allocated_bytes"]


@pytest.fixture(scope="module")
def blocks(tmp_path_factory):
    return Advised(Workspace(tmp_path_factory.mktemp("blocks")), BLOCKS)


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    return Advised(Workspace(tmp_path_factory.mktemp("loop")), LOOP)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return Advised(Workspace(tmp_path_factory.mktemp("plain")), PLAIN)


def test_the_program_as_it_is(blocks, loop):
    for each in (blocks, loop):
        assert each.found["base"]["allocated_bytes"] == each.by_hand("base")


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("half the batch, accumulated", "half"),
        ("a quarter of it, accumulated", "quarter"),
        *(
            (name, name)
            for name in (
                "checkpoint every block",
                "checkpoint 2 blocks in one",
                "saved tensors on the host",
                "no_grad where no backward comes",
                "cross_entropy in 8 pieces",
                "a fused optimizer",
                "an optimizer loop",
                "Adafactor",
                "bf16 autocast",
                "fp16 autocast",
            )
        ),
    ],
)
def test_of_blocks_equals_the_change_made_by_hand(blocks, name, word):
    assert blocks.bytes[name] == blocks.by_hand(word)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("half the batch, accumulated", "half"),
        ("a quarter of it, accumulated", "quarter"),
        ("a backward for each loss", "a backward for each loss"),
        ("gradients set to none", "gradients set to none"),
    ],
)
def test_of_a_loop_equals_the_change_made_by_hand(loop, name, word):
    assert loop.bytes[name] == loop.by_hand(word)


def test_a_change_helps_one_program_and_not_another(blocks, loop):
    assert blocks.bytes["checkpoint every block"] < blocks.found["base"]["allocated_bytes"]
    assert loop.bytes["empty_cache before the step"] == loop.found["base"]["allocated_bytes"]


REFUSED = {
    "checkpoint every block": "no module holds blocks that repeat",
    "half the batch, accumulated": "a batch of 7 has no half",
    "a quarter of it, accumulated": "a batch of 7 has no quarter",
    "no_grad where no backward comes": "a backward reads every graph",
    "a backward for each loss": "each backward goes through one forward",
    "a fused optimizer": "it is one",
    "8-bit Adam": "the optimizer is no Adam or AdamW of PyTorch's",
    "Adafactor": "the optimizer is no Adam or AdamW of PyTorch's",
    "gradients set to none": "no zero_grad(set_to_none=False) was called",
    "gradients as bucket views": "no DistributedDataParallel copies gradients",
    "FSDP reduces each micro-batch": "no FSDP keeps whole gradients",
    "cross_entropy in 8 pieces": "no cross_entropy of rows and classes was computed",
    "no cache of casts": "no autocast keeps casts where no gradient is taken",
    "attention in one kernel": "torch.compile runs its own copy of the model's code",
}


def test_what_cannot_be_made_has_a_reason(plain):
    assert {name: plain.refused.get(name) for name in REFUSED} == REFUSED | {
        "checkpoint every block": "torch.compile runs its own copy of the model's code"
    }
