# SPDX-License-Identifier: Apache-2.0
"""Evaluations that a program does between its steps, and says nothing of: what they hold, and what a remedy gains there."""

import json
import sys

import pytest

PROGRAM = """
import sys
import torch
from torch import nn
rows, words = int(sys.argv[1]), sys.argv[2:]
model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 4096)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
def batch(rows):
    return torch.randn(rows, 256, device="cuda"), torch.randint(0, 4096, (rows,), device="cuda")
def train():
    data, target = batch(512)
    nn.functional.cross_entropy(model(data), target).backward()
    optimizer.step()
    optimizer.zero_grad()
@torch.no_grad()
def losses():
    for _ in range(3):
        data, target = batch(rows)
        logits = model(data)
        nn.functional.cross_entropy(logits, target)
    return logits
@torch.no_grad()
def predictions():
    all = None
    for _ in range(6):
        logits = model(batch(rows)[0])
        if "to the host" in words: logits = logits.cpu()
        all = logits if all is None else torch.cat((all, logits))
    return all
@torch.no_grad()
def listed():
    all = []
    for _ in range(10):
        logits = model(batch(rows)[0])
        all.append(logits.cpu() if "to the host" in words else logits)
    return all
evaluate = predictions if "predictions" in words else listed if "listed" in words else losses
for _ in range(3):
    train()
    train()
    logits = evaluate()
    if "del" in words: del logits
"""

LARGE, SMALL = 8192, 1024  # batches of an evaluation, of which one is the peak and the other is not
TOO_LARGE = 11000  # for 1 GiB
WITHIN = 0.02


@pytest.fixture
def record(workspace):
    """A function: records the program, and returns another one, that gives a report of it."""
    workspace.write("program.py", PROGRAM)

    def run(rows, *words, layers=True, memory="80GiB", ends=0, more=()):
        out = f"out{len(list(workspace.folder.glob('out*')))}"
        options = ["--dry", "h100-80gb", "--device-memory", memory, *(["--layers"] if layers else []), *more, "--out", out]
        done = workspace.strata("exec", *options, "--", sys.executable, "program.py", str(rows), *words)
        assert done.returncode == ends, done.stderr
        return lambda *asked: json.loads(workspace.strata("report", out, *asked, "--json").stdout)

    return run


def budget(report):
    return report("--budget", "1MiB")


def promised(told, change):
    """The peak that is promised of the one remedy whose change begins so."""
    [remedy] = [remedy for remedy in told["remedies"] if remedy["change"].startswith(change)]
    return told["peak_bytes"] - remedy["bytes"]


@pytest.mark.parametrize("layers", (True, False))
def test_what_it_leaves_in_a_variable_is_known(record, layers):
    peak = record(SMALL, layers=layers)()["peak"]
    assert peak["categories"]["Unknown"] <= 4096
    assert peak["categories"]["Activation"] >= SMALL * 4096 * 4


def test_letting_go_of_it_gains_what_is_said(record):
    told = budget(record(SMALL))
    assert promised(told, "del of what aten::addmm of 2 made, before the next step") == pytest.approx(
        budget(record(SMALL, "del"))["peak_bytes"], rel=WITHIN
    )


def test_half_of_its_batch_gains_what_is_said(record):
    report = record(LARGE)
    assert report()["peak"]["phase"] == "evaluation"
    told = budget(report)
    assert promised(told, "half the batch in evaluation") == pytest.approx(budget(record(LARGE // 2))["peak_bytes"], rel=WITHIN)


def test_the_training_is_promised_nothing_at_its_peak(record):
    told = [remedy["change"] for remedy in budget(record(LARGE))["remedies"]]
    assert not [change for change in told if change.startswith(("half the batch, ", "head and loss in", "checkpointed"))]


def test_predictions_that_are_put_together_gain_what_is_said(record):
    report = record(SMALL, "predictions")
    told, left = budget(report), budget(record(SMALL, "predictions", "to the host"))["peak_bytes"]
    assert promised(told, "outputs to the host as they come") == pytest.approx(left, rel=0.1)  # the first one goes, too
    [within] = [remedy for remedy in report("--budget", str(left))["remedies"] if remedy["change"].startswith("outputs to the host")]
    assert within["may_be_enough"]
    [remedy] = [remedy for remedy in told["remedies"] if remedy["change"].startswith("outputs to the host")]
    assert remedy["reason"] == "what aten::cat puts together of 6 outputs, the old one beside the new, which the host holds then"


@pytest.mark.parametrize("layers", (True, False))
def test_predictions_in_a_list_gain_what_is_said(record, layers):
    told = budget(record(SMALL, "listed", layers=layers))
    assert promised(told, "outputs to the host as they come") == pytest.approx(
        budget(record(SMALL, "listed", "to the host"))["peak_bytes"], rel=0.1  # the one that is on its way goes, too
    )
    [half] = [remedy["bytes"] for remedy in told["remedies"] if remedy["change"].startswith("half the batch in evaluation")] or [0]
    assert half < 0.1 * told["peak_bytes"]  # of a list, as many bytes whatever the batch


def test_a_loss_that_has_no_room_there_has_no_backward(record):
    [failure] = record(TOO_LARGE, memory="1184MiB", ends=1)()["out_of_memory"]
    assert failure["op"] == "aten::_log_softmax" and failure["loss_to_come_bytes"] == 0
    [half] = [remedy for remedy in failure["remedies"] if remedy["change"].startswith("half the batch in evaluation")]
    assert half["enough"]
    record(TOO_LARGE // 2, memory="1184MiB")


def test_of_a_list_that_grows_nothing_is_surely_enough_but_to_let_it_go(record):
    """More of them come, and nobody knows how many: what has room for the next may not have it for the last."""
    [failure] = record(LARGE // 2, "listed", memory="1184MiB", ends=1)()["out_of_memory"]
    assert failure["phase"] == "evaluation"
    verdicts = {remedy["change"].split(" (")[0]: (remedy["enough"], remedy["may_be_enough"]) for remedy in failure["remedies"]}
    assert verdicts.pop("outputs to the host as they come") == (True, True)
    assert verdicts["a forward in 16 bits"] == (False, True) and not any(enough for enough, _ in verdicts.values())
    record(LARGE // 2, "listed", "to the host", memory="1184MiB")


def test_what_a_run_takes_outside_of_its_window_is_said(record, workspace):
    whole = budget(record(LARGE, more=("--set", "schedule.active=1")))["peak_bytes"]
    (said,) = [line for line in workspace.strata("report", "out0").stdout.splitlines() if "outside of the window" in line]
    assert said.startswith(f"  {whole / 2**20:,.1f} MiB outside of the window: step 3, evaluation; ")
    record(LARGE)
    assert "outside of the window" not in workspace.strata("report", "out1").stdout
    assert "! the base run takes more outside of its window: " in workspace.strata("diff", "out0", "out1").stdout
    budget_of_all = f"run_peak_allocated>{whole - 1}B"
    assert workspace.strata("diff", "out0", "out0", "--fail-if", f"peak_allocated>{whole - 1}B").returncode == 0
    assert workspace.strata("diff", "out0", "out0", "--fail-if", budget_of_all).returncode == 4
