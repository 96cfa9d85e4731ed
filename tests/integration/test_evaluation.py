# SPDX-License-Identifier: Apache-2.0
"""Evaluations that a program runs between its steps without announcing them: the findings about
what they hold."""

import functools
import json
import sys

import pytest
from workspaces import Workspace

PROGRAM = """
import sys, torch
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
def listed():
    all = []
    for _ in range(10):
        logits = model(batch(rows)[0])
        all.append(logits.cpu() if "to the host" in words else logits)
    return all
evaluate = listed if "listed" in words else losses
for _ in range(3):
    train()
    train()
    logits = evaluate()
    if "del" in words: del logits
"""

LARGE, SMALL = 8192, 1024  # evaluation batches: LARGE makes the evaluation the peak, SMALL does not
WITHIN = 0.02


class Recorded:
    """A run of the program."""

    def __init__(self, workspace, out):
        self.workspace, self.out = workspace, out

    def __call__(self, *asked):
        """Return a report of the run."""
        return json.loads(self.workspace.strata("report", self.out, *asked, "--json").stdout)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A function that records the program; each run once."""
    workspace = Workspace(tmp_path_factory.mktemp("evaluation"))
    workspace.write("program.py", PROGRAM)

    @functools.lru_cache(None)
    def run(rows, *words, layers=True, memory="80GiB", ends=0, more=()):
        out = f"out{len(list(workspace.folder.glob('out*')))}"
        options = ["--dry", "h100-80gb", "--device-memory", memory, *(["--layers"] if layers else []), *more, "--out", out]
        done = workspace.strata("exec", *options, "--", sys.executable, "program.py", str(rows), *words)
        assert done.returncode == ends, done.stderr
        return Recorded(workspace, out)

    return run


def budget(report):
    return report("--budget", "1MiB")


def found(told, kind):
    """Return the one finding of that kind."""
    [finding] = [finding for finding in told["findings"] if finding["kind"] == kind]
    return finding


@pytest.mark.parametrize("layers", (True, False))
def test_what_it_leaves_in_a_variable_is_known(record, layers):
    peak = (record(SMALL) if layers else record(SMALL, layers=False))()["peak"]
    assert peak["categories"]["Unknown"] <= 4096
    assert peak["categories"]["Activation"] >= SMALL * 4096 * 4


def test_what_it_leaves_in_a_variable_is_found(record):
    told = budget(record(SMALL))
    held = found(told, "held_by_program")
    assert held["module"] == "2" and held["text"].startswith("The program still holds what aten::addmm in 2 made in an earlier step")
    assert told["peak_bytes"] - held["bytes"] == pytest.approx(budget(record(SMALL, "del"))["peak_bytes"], rel=WITHIN)


def test_what_it_makes_at_the_peak_is_found(record):
    report = record(LARGE)
    assert report()["peak"]["phase"] == "evaluation"
    assert found(budget(report), "evaluation")["bytes"] >= LARGE * 4096 * 4


@pytest.mark.parametrize("layers", (True, False))
def test_predictions_in_a_list_are_found(record, layers):
    told = budget(record(SMALL, "listed", layers=layers))
    listed = found(told, "listed_outputs")
    # A variable keeps the previous evaluation's list until this one is complete.
    assert listed["bytes"] == 2 * 10 * SMALL * 4096 * 4 and listed["text"].startswith("The program holds 20 outputs of forwards without a graph")


def test_predictions_on_the_host_are_none_of_the_cards(record):
    told = budget(record(SMALL, "listed", "to the host"))
    assert not [finding for finding in told["findings"] if finding["kind"] == "listed_outputs"]


def test_of_a_list_that_grows_what_there_is_is_found_where_memory_runs_out(record):
    [failure] = record(LARGE // 2, "listed", memory="1184MiB", ends=1)()["out_of_memory"]
    assert failure["phase"] == "evaluation"
    assert found(failure, "listed_outputs")["bytes"] > failure["allocated_bytes"] / 2


def test_what_a_run_takes_outside_of_its_window_is_said(record):
    one, whole = record(LARGE, more=("--set", "schedule.active=1")), record(LARGE)
    strata, peak = one.workspace.strata, budget(one)["peak_bytes"]
    (said,) = [line for line in strata("report", one.out).stdout.splitlines() if "outside of the window" in line]
    assert said.startswith(f"  {peak / 2**20:,.1f} MiB outside of the window: step 3, evaluation; ")
    assert "outside of the window" not in strata("report", whole.out).stdout
    assert "! the base run allocates more outside its window: " in strata("diff", one.out, whole.out).stdout
    assert strata("diff", one.out, one.out, "--fail-if", f"peak_allocated>{peak - 1}B").returncode == 0
    assert strata("diff", one.out, one.out, "--fail-if", f"run_peak_allocated>{peak - 1}B").returncode == 4
