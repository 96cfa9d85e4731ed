# SPDX-License-Identifier: Apache-2.0
"""`strata report --budget`: a run's peak held against a size."""

import json
import sys

import pytest


@pytest.fixture(scope="module")
def recorded(finished):
    """A workspace with a run, and the run's peak."""
    scopes = json.loads((finished.folder / "out/summary.json").read_text())["scopes"]
    [run] = [scope for scope in scopes if scope["kind"] == "run"]
    return finished, run["allocated"]["peak_bytes"]


def check(workspace, budget, *words):
    return workspace.strata("report", "out", "--budget", budget, *words)


def test_the_budget_is_of_the_whole_runs_peak(recorded):
    workspace, peak = recorded
    assert check(workspace, peak).returncode == 0
    assert check(workspace, peak - 1).returncode == 4
    assert "within the budget" in check(workspace, "1GiB").stdout


def test_what_is_reserved_above_the_budget_is_said(workspace):
    workspace.write("adam.py", ADAM)
    assert workspace.strata("exec", "--dry", "t4", "--out", "out", "--", sys.executable, "adam.py").returncode == 0
    document = json.loads(check(workspace, "1GiB", "--json").stdout)
    assert document["most_reserved_bytes"] > document["peak_bytes"]
    assert "reserved" not in check(workspace, "1GiB").stdout
    within = check(workspace, document["peak_bytes"])
    assert within.returncode == 0 and f"reserved from the device: {document['most_reserved_bytes'] / 2**20:,.1f} MiB at most, above" in within.stdout


def test_what_filled_it_and_what_would_do_with_less(recorded):
    workspace, peak = recorded
    done = check(workspace, peak // 2)
    assert "above the budget" in done.stdout and "Its largest owners" in done.stdout
    document = json.loads(check(workspace, peak // 2, "--json").stdout)
    assert (document["schema"], document["fits"], document["peak_bytes"]) == ("strata.budget/1", False, peak)
    assert sum(document["categories"].values()) == peak
    assert document["remedies"] and all(remedy["bytes"] > 0 for remedy in document["remedies"])
    assert all(remedy["may_be_enough"] or not remedy["enough"] for remedy in document["remedies"])
    assert [remedy["enough"] for remedy in document["remedies"]] == [remedy["bytes"] >= peak - peak // 2 for remedy in document["remedies"]]
    assert all(remedy["bytes"] + remedy["peak_then_bytes"] == peak for remedy in document["remedies"])


ADAM = """
import torch
def layers(): return [torch.nn.Linear(512, 512), torch.nn.GELU(), torch.nn.Linear(512, 512), torch.nn.GELU()]
model = torch.nn.Sequential(*[torch.nn.Sequential(*layers()) for _ in range(16)]).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
for _ in range(3):
    model(torch.randn(1024, 512, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_a_remedy_gains_no_more_than_the_distance_to_the_next_peak(workspace):
    """Checkpointed blocks leave the optimizer's step as it is."""
    workspace.write("adam.py", ADAM)
    recorded = workspace.strata("exec", "--dry", "t4", "--layers", "--out", "out", "--", sys.executable, "adam.py")
    assert recorded.returncode == 0, recorded.stderr
    assert "checkpointing would spare" not in check(workspace, "16MiB").stdout
    document = json.loads(check(workspace, "16MiB", "--json").stdout)
    remedy = next(remedy for remedy in document["remedies"] if "checkpoint" in remedy["change"])
    assert document["phase"] == "backward"
    assert not remedy["enough"] and remedy["peak_then_phase"] == "AdamW.step"
    assert remedy["bytes"] == document["peak_bytes"] - remedy["peak_then_bytes"]
    said = f"not enough by itself: the peak is then about {remedy['peak_then_bytes'] / 2**20:,.1f} MiB, in AdamW.step"
    assert said in check(workspace, "16MiB").stdout


# Of each the batch, and what else is set.
MODELS = {
    # Its softmax stays in 32 bits, beside a copy in 16: little is gained by those.
    "gpt2": (8, ["model={name: gpt2, size: small, context: 512}"]),
    "llama": (4, ["model={name: llama, size: 350m, context: 1024}"]),
    "llama, attention in one kernel": (4, ["model={name: llama, size: 350m, context: 1024}", "attention=sdpa"]),
    "transformer": (8, ["model={name: transformer, size: small, context: 512}"]),
    "distilbert": (16, ["model={name: distilbert, context: 512}"]),
    "resnet50": (64, ["model={name: resnet50}", "data.source=synthetic"]),
}
# By what a remedy's change begins with: what is set to have it.
CHANGES = {
    "checkpointed blocks": ["checkpointing=block"],
    "attention in one kernel": ["attention=sdpa"],
    "half the batch": ["accumulation=2"],
    "a forward in 16 bits": ["precision=bf16_autocast"],
    "8-bit moments": ["optimizer={name: adam8bit}"],
}


def peak_of(workspace, out, model, *changes):
    """Of a training of the model with what is set for the changes."""
    batch, words = MODELS[model]
    workspace.write("c.yaml", "model: {name: transformer, size: small}\nschedule: {wait: 0, warmup: 1, active: 2}\nplugins: [allocator_tracer]\n")
    words = [*words, "optimizer={name: adamw, impl: foreach}", *(word for change in changes for word in CHANGES[change])]
    size = f"data.batch_size={batch // 2 if 'half the batch' in changes else batch}"
    done = workspace.strata("run", "c.yaml", "--dry", "h100-80gb", "--out", out, "--json", size, *words)
    assert done.returncode == 0, done.stderr
    return max(step["peak_allocated_bytes"] for step in json.loads(done.stdout)["steps"])


@pytest.mark.parametrize("model", MODELS)
def test_remedies_gain_about_what_they_say(workspace, model):
    """What is gained is seen by doing it: not a twentieth of the peak less than was said, nor a tenth more."""
    before = peak_of(workspace, "out", model)
    remedies = json.loads(check(workspace, "1MiB", "--json").stdout)["remedies"]
    assert len(remedies) >= 3
    for number, remedy in enumerate(remedies):
        [begin] = [begin for begin in CHANGES if remedy["change"].startswith(begin)]
        after = peak_of(workspace, f"out{number}", model, begin)
        gained = before - after
        assert -before / 20 <= gained - remedy["bytes"] <= before / 10, (begin, remedy["bytes"], gained, before)
        room = remedy["bytes"] // 4 if begin == "a forward in 16 bits" else 0
        within = json.loads(check(workspace, remedy["peak_then_bytes"] + room, "--json").stdout)["remedies"]
        assert [each["enough"] for each in within if each["change"] == remedy["change"]] == [True], "the peak that is left is the budget"


# By the model a part of its peak that no remedy comes below by itself, and what does together.
TOGETHER = {
    "gpt2": {0.40: ["checkpointed blocks", "half the batch"], 0.35: ["checkpointed blocks", "half the batch", "8-bit moments"]},
    "llama": {0.35: ["checkpointed blocks", "8-bit moments"]},
    "distilbert": {0.40: ["checkpointed blocks", "half the batch"], 0.30: ["checkpointed blocks", "half the batch", "8-bit moments"]},
    "resnet50": {0.40: ["checkpointed blocks", "half the batch"]},
}


@pytest.mark.parametrize("model", TOGETHER)
def test_what_is_enough_together_is(workspace, model):
    before = peak_of(workspace, "out", model)
    for part, begins in TOGETHER[model].items():
        budget = int(before * part)
        document = json.loads(check(workspace, budget, "--json").stdout)
        best, *others = document["remedies"]
        assert best["enough"] and not any(remedy["enough"] for remedy in others)
        changes = best["change"].split(" + ")
        assert [begin for begin, change in zip(begins, changes, strict=True) if change.startswith(begin)] == begins
        after = peak_of(workspace, f"out{part}", model, *begins)
        assert after <= budget
        assert abs(after - best["peak_then_bytes"]) <= before / 25, (after, best)


def budgets_with(workspace, program, *words):
    """Of the program with each of the words what a budget that nothing fits says."""
    workspace.write("model.py", program)
    for word in words:
        done = workspace.strata("exec", "--dry", "h100-80gb", "--out", f"out{word}", "--", sys.executable, "model.py", word)
        assert done.returncode == 0, done.stderr
        yield json.loads(workspace.strata("report", f"out{word}", "--budget", "1MiB", "--json").stdout)


LANGUAGE_MODEL = """
import sys
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
embedding, body, head = nn.Embedding(32000, 256).cuda(), nn.Linear(256, 256).cuda(), nn.Linear(256, 32000, bias=False).cuda()
optimizer = torch.optim.AdamW([*embedding.parameters(), *body.parameters(), *head.parameters()], fused=True)
pieces = int(sys.argv[1])
loss = lambda x, y: F.cross_entropy(head(x).flatten(0, 1), y.flatten(), reduction="sum")
for _ in range(2):
    ids = torch.randint(0, 32000, (8, 513), device="cuda")
    x, y = body(embedding(ids[:, :-1])), ids[:, 1:]
    sums = [checkpoint(loss, *each, use_reentrant=False) for each in zip(x.chunk(pieces, 1), y.chunk(pieces, 1))] if pieces > 1 else [loss(x, y)]
    (sum(sums) / y.numel()).backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_how_to_learn_what_checkpoints_spare_is_said(workspace):
    workspace.write("adam.py", ADAM)
    assert workspace.strata("exec", "--no-layers", "--dry", "t4", "--out", "out", "--", sys.executable, "adam.py").returncode == 0
    assert "To know what checkpointing would spare: strata exec --layers, or strata.attach" in check(workspace, "16MiB").stdout


def test_a_loss_in_pieces_gains_about_what_is_said(workspace):
    whole, in_pieces = budgets_with(workspace, LANGUAGE_MODEL, 1, 8)
    [remedy] = [remedy for remedy in whole["remedies"] if remedy["change"].startswith("head and loss in 8 pieces")]
    gained = whole["peak_bytes"] - in_pieces["peak_bytes"]
    assert 0.9 <= gained / remedy["bytes"] <= 1.1, (gained, remedy)
    assert not any("pieces" in remedy["change"] for remedy in in_pieces["remedies"])


NORMALIZED = """
import sys
import torch
from torch import nn
model = nn.Sequential(*[nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.GroupNorm(32, 64), nn.SiLU()) for _ in range(8)]).cuda()
for _ in range(2):
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=sys.argv[1] == "16"):
        loss = model(torch.randn(32, 64, 64, 64, device="cuda")).float().mean()
    loss.backward()
    model.zero_grad()
"""


def test_16_bits_gain_little_beside_group_norms(workspace):
    """Autocast widens what they take: half of the activations was promised."""
    wide, narrow = budgets_with(workspace, NORMALIZED, 32, 16)
    [remedy] = [remedy for remedy in wide["remedies"] if remedy["change"].startswith("a forward in 16 bits")]
    assert abs(remedy["bytes"] - (wide["peak_bytes"] - narrow["peak_bytes"])) <= wide["peak_bytes"] / 20


ATTENTION = """
import torch
from torch import nn
from torch.nn import functional as F
layers = nn.ModuleList(nn.Linear(256, 768) for _ in range(3)).cuda()
torch.backends.cuda.enable_flash_sdp(False), torch.backends.cuda.enable_mem_efficient_sdp(False), torch.backends.cuda.enable_cudnn_sdp(False)
for _ in range(2):
    x = torch.randn(4, 512, 256, device="cuda")
    for layer in layers:
        x = x + F.scaled_dot_product_attention(*layer(x).unflatten(-1, (3, 4, 64)).permute(2, 0, 3, 1, 4)).transpose(1, 2).flatten(-2)
    x.sum().backward()
"""


def test_attention_that_no_kernel_took_is_told_as_that(workspace):
    workspace.write("attention.py", ATTENTION)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--", sys.executable, "attention.py")
    assert done.returncode == 0, done.stderr
    changes = [remedy["change"] for remedy in json.loads(check(workspace, "1MiB", "--json").stdout)["remedies"]]
    assert "attention in one kernel, where none took this one (F.scaled_dot_product_attention)" in changes


def test_a_run_that_recorded_no_memory_is_within_none(workspace):
    workspace.write("c.yaml", "model: {size: small, layers: 2}\nschedule: {wait: 0, warmup: 1, active: 1}\nplugins: [nvtx_markers]\n")
    assert workspace.strata("run", "c.yaml", "--dry", "a100-40gb", "--out", "out").returncode == 0
    done = check(workspace, "1TiB")
    assert done.returncode == 1 and "recorded no memory" in done.stderr and not done.stdout


def test_where_it_fits_nothing_is_asked_to_change(recorded):
    assert json.loads(check(recorded[0], "1GiB", "--json").stdout)["remedies"] == []


@pytest.mark.parametrize("budget", ["", "much", "-1GiB", "0", "12 gigs"])
def test_what_is_no_size_is_refused(recorded, budget):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and "--budget" in done.stderr


@pytest.mark.parametrize(("budget", "meant"), [("24", "is 24 bytes; expected a unit, as in 24GiB"), ("24000", "is 24000 bytes; expected a unit, as in 24000MiB")])
def test_a_number_that_lacks_its_unit_is_refused(recorded, budget, meant):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and meant in done.stderr


RESIDUAL = """
import sys
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
def unit(wide, out, size): return [nn.Conv2d(wide, out, size, padding=size // 2, bias=False), nn.BatchNorm2d(out)]
class Bottleneck(nn.Module):
    def __init__(self, wide, narrow):
        super().__init__()
        relu = nn.ReLU(inplace=True)
        self.body = nn.Sequential(*unit(wide, narrow, 1), relu, *unit(narrow, narrow, 3), relu, *unit(narrow, wide, 1))
    def forward(self, picture):
        return torch.relu_(self.body(picture).add_(picture))
stem, blocks, head = nn.Conv2d(3, 256, 7, 4), nn.ModuleList(Bottleneck(256, 64) for _ in range(12)), nn.Linear(256, 10)
model = nn.ModuleDict({"stem": stem, "blocks": blocks, "head": head}).cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    pictures = torch.randn(64, 3, 128, 128, device="cuda").to(memory_format=torch.channels_last)
    with torch.autocast("cuda", torch.bfloat16):
        flowing = stem(pictures)
        for block in blocks: flowing = checkpoint(block, flowing, use_reentrant=False) if "checkpoints" in sys.argv else block(flowing)
        loss = head(flowing.mean((2, 3))).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_what_a_batch_normalization_counts_with_is_not_handed_on(workspace):
    """In 16 bits with channels last it lets go of a counter behind its result, which a checkpointed block hands on."""
    workspace.write("residual.py", RESIDUAL)
    peaks = {}
    for word in ("whole", "checkpoints"):
        done = workspace.strata("exec", "--dry", "h100-80gb", "--layers", "--out", word, "--", sys.executable, "residual.py", word)
        assert done.returncode == 0, done.stderr
        peaks[word] = json.loads((workspace.folder / word / "summary.json").read_text())["peak"]["allocated_bytes"]
    document = json.loads(workspace.strata("report", "whole", "--budget", "1MiB", "--json").stdout)
    (remedy,) = (remedy for remedy in document["remedies"] if remedy["change"].startswith("checkpointed blocks") and "+" not in remedy["change"])
    assert peaks["checkpoints"] < peaks["whole"] / 2
    assert remedy["peak_then_bytes"] == pytest.approx(peaks["checkpoints"], rel=0.05)
