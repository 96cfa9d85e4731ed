# SPDX-License-Identifier: Apache-2.0
"""`strata advise -- python train.py`: each number equals, to the byte, the peak of the program with
that change made in its source."""

import functools
import json
import sys

import pytest
from workspaces import REPOSITORY, Workspace

pytestmark = pytest.mark.long
AT_START = REPOSITORY / "python/strata_profiler/trial/at_start"
CARD = "h100-80gb"

# The last word of the command line is the change that is made by hand.
BLOCKS = """
import contextlib, sys, torch
from torch import nn
from torch.utils.checkpoint import checkpoint
how = sys.argv[-1]
parts = {"half": 2, "quarter": 4}.get(how, 1)
together = {"checkpoint every block": 1, "checkpoint 2 blocks in one": 2, "checkpoint 4 blocks in one": 4}.get(how, 0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(2000, 64)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True) for _ in range(8))
        self.head = nn.Linear(64, 2000)

    def forward(self, tokens):
        x = self.embedding(tokens)
        if together:
            for at in range(0, 8, together):
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
        tokens = torch.randint(0, 2000, (32 // parts, 65), device="cuda")
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
"""

# A loader, a scaler, a schedule, the sum of several losses, gradients that are zeroed instead of
# set to none, and an output that is kept with its graph.
LOOP = """
import contextlib, sys, torch
from torch import nn
how = sys.argv[-1]
parts = {"half": 2, "quarter": 4}.get(how, 1)
net = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, fused=True)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scaler = torch.amp.GradScaler("cuda")
for index, (x, y) in enumerate(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(4096, 256), torch.randn(4096, 256)), batch_size=256 // parts)):
    with torch.no_grad() if how == "no_grad where no backward comes" else contextlib.nullcontext():
        before = net(torch.ones(512, 256, device="cuda"))
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

# Compiled, a batch of seven rows, a fused optimizer, an evaluation under autocast: most changes are
# impossible. A piece of a large segment is kept.
PLAIN = """
import sys, torch
from torch import nn
how = sys.argv[-1]
large = torch.empty(200 << 20, dtype=torch.uint8, device="cuda")
del large
kept = torch.empty(25 << 20, dtype=torch.uint8, device="cuda")
large = torch.empty(200 << 20, dtype=torch.uint8, device="cuda")
model = nn.Sequential(*[nn.Linear(512, 512) for _ in range(4)]).cuda()
run = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
for step in range(2):
    run(torch.randn(7, 512, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, cache_enabled=how != "no cache of casts"):
        model(torch.randn(4096, 512, device="cuda"))
"""

# The optimizer's step needs the most memory, so no change of forward or backward helps.
QUIET = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(512, 512), nn.ReLU()) for _ in range(8))
        self.head = nn.Linear(512, 16)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


model = Model().cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
for step in range(8):
    x, y, total = torch.randn(16, 512, device="cuda"), torch.zeros(16, dtype=torch.long, device="cuda"), 0
    for _ in range(2):
        total = total + nn.functional.cross_entropy(model(x), y)
    total.backward()
    optimizer.step()
    optimizer.zero_grad()
    model(x)
"""

# DistributedDataParallel, a custom optimizer, attention that returns its weights.
OTHERS = """
import sys, torch
from torch import nn
how = sys.argv[-1]
torch.cuda.set_device(0)
torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.ModuleList(nn.MultiheadAttention(256, 4, batch_first=True) for _ in range(4))

    def forward(self, x):
        for attention in self.attention:
            x = x + attention(x, x, x, need_weights=how != "attention in one kernel")[0]
        return x


class Own(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self):
        for parameter in self.param_groups[0]["params"]:
            parameter.sub_(parameter.grad, alpha=0.1)


model = nn.parallel.DistributedDataParallel(Model().cuda(), gradient_as_bucket_view=how == "gradients as bucket views")
optimizer = Own(model.parameters())
for step in range(8):
    model(torch.randn(1, 256, 256, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""

# FSDP2 on eight ranks that keeps whole gradients.
SHARDED = """
import sys, torch
from torch import nn
from torch.distributed.fsdp import fully_shard
how = sys.argv[-1]
torch.cuda.set_device(0)
torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=8)
net = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(4)]).cuda()
for block in net:
    fully_shard(block)
fully_shard(net)
optimizer = torch.optim.AdamW(net.parameters(), fused=how != "a foreach optimizer", foreach=how == "a foreach optimizer")
for step in range(8):
    for micro in range(2):
        if how != "FSDP reduces each micro-batch":
            net.set_requires_gradient_sync(micro == 1)
        net(torch.randn(64, 1024, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""

# The free memory is in pieces too small for any request, and the layers are too small for a change
# to save much.
PIECES = """
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
MIB = 1 << 20
torch.cuda.set_device(0)
torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=1)
small = nn.Linear(8, 8).cuda()
buckets, sharded = nn.parallel.DistributedDataParallel(nn.Linear(8, 8).cuda()), fully_shard(nn.Linear(8, 8).cuda())
attention, norm = nn.MultiheadAttention(8, 1).cuda(), nn.BatchNorm1d(8).cuda()
model = nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.Adam(model.parameters())
some = torch.optim.Adam([*buckets.parameters(), *sharded.parameters(), *attention.parameters()])
for step in range(8):
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
        small(torch.ones(8, 8, device="cuda"))
    x = torch.ones(8, 8, device="cuda")
    sharded.set_requires_gradient_sync(False)
    (buckets(x).sum() + sharded(x).sum() + attention(x, x, x)[0].sum() + norm(x).sum()).backward()
    some.zero_grad(set_to_none=False)
    scratch = [torch.empty(30 * MIB, dtype=torch.uint8, device="cuda") for _ in range(4)]
    del scratch
    model(torch.randn(8, 4096, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""

# The generator's backward leaves gradients in the discriminator, which are discarded.
TWO = """
import torch
from torch import nn
judge, maker = nn.Linear(64, 1).cuda(), nn.Linear(8, 64).cuda()
of_judge, of_maker = (torch.optim.AdamW(each.parameters()) for each in (judge, maker))
for step in range(8):
    judge.zero_grad()
    (judge(torch.randn(32, 64, device="cuda")).sum() + judge(maker(torch.randn(32, 8, device="cuda")).detach()).sum()).backward()
    of_judge.step()
    maker.zero_grad()
    judge(maker(torch.randn(32, 8, device="cuda"))).sum().backward()
    of_maker.step()
"""


class Advised:
    """The advice for a program, and its peak with a change made by hand."""

    def __init__(self, workspace, text):
        self._workspace = workspace
        workspace.write("train.py", text)
        result = workspace.strata("advise", "--device", CARD, "--json", "--", sys.executable, "train.py", "base")
        assert result.returncode == 0, result.stderr
        self.found = json.loads(result.stdout)
        self.saved = {each["changes"][0]["name"]: self._saved(each) for each in self.found["alone"]}
        self.bytes = {each["changes"][0]["name"]: each["allocated_bytes"] for each in self.found["alone"]}
        self.refused = {each["name"]: each["reason"] for each in self.found["refused"]}

    def _saved(self, tried):
        """The saving in peak allocated bytes or in bytes that the device needs, whichever is
        larger."""
        return max(self.found["base"][key] - tried[key] for key in ("allocated_bytes", "needed_bytes"))

    def by_hand(self, word):
        """The peak of the changed program up to the optimizer's second step."""
        words = ("exec", "--plugins", "allocator_tracer", "--dry", CARD, "--out", word.replace(" ", "_"), "--", sys.executable, "train.py", word)
        result = self._workspace.strata(*words, PYTHONPATH=str(AT_START), STRATA_TRIAL_STEPS="2")
        assert result.returncode == 0, result.stderr
        summary = json.loads((self._workspace.folder / word.replace(" ", "_") / "summary.json").read_text())
        return summary["peak"]["allocated_bytes"]


PROGRAMS = {"blocks": BLOCKS, "loop": LOOP, "plain": PLAIN, "quiet": QUIET, "others": OTHERS, "sharded": SHARDED, "pieces": PIECES, "two": TWO}


@pytest.fixture(scope="module")
def advised(tmp_path_factory):
    """A function that returns the advice for a program by its name; each program is analyzed
    once."""
    return functools.lru_cache(lambda name: Advised(Workspace(tmp_path_factory.mktemp(name)), PROGRAMS[name]))


@pytest.mark.parametrize("program", ["blocks", "loop", "plain", "others", "sharded"])
def test_the_program_as_it_is(advised, program):
    assert advised(program).found["base"]["allocated_bytes"] == advised(program).by_hand("base")


@pytest.mark.parametrize(
    ("program", "name"),
    [
        *(
            ("blocks", name)
            for name in (
                "half",
                "quarter",
                "checkpoint every block",
                "checkpoint 2 blocks in one",
                "checkpoint 4 blocks in one",
                "saved tensors on the host",
                "cross_entropy in 8 pieces",
                "a fused optimizer",
                "an optimizer loop",
                "Adafactor",
                "bf16 autocast",
                "fp16 autocast",
            )
        ),
        *(("loop", name) for name in ("half", "quarter", "a backward for each loss", "gradients set to none", "no_grad where no backward comes")),
        *(("others", name) for name in ("gradients as bucket views", "attention in one kernel")),
        ("plain", "no cache of casts"),
        *(("sharded", name) for name in ("FSDP reduces each micro-batch", "a foreach optimizer")),
    ],
)
def test_equals_the_change_made_by_hand(advised, program, name):
    whole = {"half": "half the batch, accumulated", "quarter": "a quarter of it, accumulated"}.get(name, name)
    assert advised(program).bytes[whole] == advised(program).by_hand(name)


# For each change: a program where it saves memory, one where it saves nothing, and one where it is
# impossible, with the reason. The allocator's settings and empty_cache are always possible.
# tests/python tests what prevents moving saved tensors to the host.
COMPILED = "torch.compile runs its own copy of the model's code"
NO_ADAM = "the optimizer is not PyTorch's Adam or AdamW"
EFFECTS = {
    "checkpoint every block": ("blocks", "quiet", "plain", COMPILED),
    "checkpoint 2 blocks in one": ("blocks", "quiet", "others", "MultiheadAttention returns more than one tensor, so one checkpoint around several of them needs more than one line"),
    "checkpoint 4 blocks in one": ("blocks", "quiet", "others", "it has only 4 blocks in a row"),
    "no_grad where no backward comes": ("loop", "quiet", "plain", "every graph is used by a backward"),
    "saved tensors on the host": ("blocks", "quiet", None, None),
    "a backward for each loss": ("loop", "quiet", "plain", "each backward goes through one forward"),
    "a fused optimizer": ("quiet", "blocks", "others", "Own has no such implementation"),
    "a foreach optimizer": ("sharded", "loop", "others", "Own has no such implementation"),
    "an optimizer loop": ("quiet", "loop", "others", "Own has no such implementation"),
    "8-bit Adam": ("quiet", "blocks", "plain", NO_ADAM),
    "Adafactor": ("quiet", "blocks", "plain", NO_ADAM),
    "gradients set to none": ("loop", "pieces", "plain", "no zero_grad(set_to_none=False) was called"),
    "gradients as bucket views": ("others", "pieces", "plain", "no DistributedDataParallel copies gradients"),
    "FSDP reduces each micro-batch": ("sharded", "pieces", "plain", "no FSDP keeps whole gradients"),
    "attention in one kernel": ("others", "pieces", "plain", COMPILED),
    "cross_entropy in 8 pieces": ("blocks", "quiet", "plain", "no cross_entropy of rows and classes was computed"),
    "half the batch, accumulated": ("blocks", "quiet", "plain", "a half of a batch of 7 is not a whole number"),
    "a quarter of it, accumulated": ("blocks", "quiet", "plain", "a quarter of a batch of 7 is not a whole number"),
    "empty_cache before backward": ("pieces", "loop", None, None),
    "empty_cache before the step": ("pieces", "loop", None, None),
    "bf16 autocast": ("blocks", "quiet", "plain", "the program uses autocast already"),
    "fp16 autocast": ("blocks", "quiet", "plain", "the program uses autocast already"),
    "no cache of casts": ("plain", "pieces", "blocks", "no autocast caches casts while gradients are disabled"),
    "expandable segments": ("plain", "loop", None, None),
    "segments split below 128 MiB": ("plain", "loop", None, None),
}


def test_the_table_has_every_change(advised):
    found = advised("quiet")
    assert set(EFFECTS) == set(found.saved) | set(found.refused)


@pytest.mark.parametrize("name", EFFECTS)
def test_where_a_change_saves_and_where_not(advised, name):
    saves, saves_nothing, refused, reason = EFFECTS[name]
    assert advised(saves).saved[name] > 0
    assert advised(saves_nothing).saved[name] < advised(saves_nothing).found["base"]["allocated_bytes"] // 20
    assert refused is None or advised(refused).refused[name] == reason


def test_a_change_that_makes_the_program_fail_is_named_with_its_error(advised):
    assert advised("sharded").refused["Adafactor"].startswith("the program fails: RuntimeError: aten.pow_")


@pytest.mark.parametrize(("program", "is_same"), [("blocks", True), ("loop", True), ("pieces", False), ("two", False)])
def test_parts_of_a_batch_that_train_otherwise_are_said_to(advised, program, is_same):
    """Batch statistics make them differ, and so do gradients that the program discards, since a
    batch's parts accumulate them."""
    halves = next(each for each in advised(program).found["alone"] if each["changes"][0]["name"].startswith("half"))
    assert halves["changes"][0]["same_mathematics"] == is_same
