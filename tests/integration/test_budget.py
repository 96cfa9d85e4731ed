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


def test_what_filled_it_and_what_would_do_with_less(recorded):
    workspace, peak = recorded
    done = check(workspace, peak // 2)
    assert "above the budget" in done.stdout and "Its largest owners" in done.stdout
    document = json.loads(check(workspace, peak // 2, "--json").stdout)
    assert (document["schema"], document["fits"], document["peak_bytes"]) == ("strata.budget/1", False, peak)
    assert sum(document["categories"].values()) == peak
    assert document["remedies"] and all(remedy["bytes"] > 0 for remedy in document["remedies"])
    assert [remedy["enough"] for remedy in document["remedies"]] == [remedy["bytes"] >= peak - peak // 2 for remedy in document["remedies"]]
    assert all(remedy["bytes"] + remedy["peak_then_bytes"] == peak for remedy in document["remedies"])


ADAM = """
import torch
model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU()) for _ in range(16)]).cuda()
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
    document = json.loads(check(workspace, "16MiB", "--json").stdout)
    remedy = next(remedy for remedy in document["remedies"] if "checkpoint" in remedy["change"])
    assert document["phase"] == "backward"
    assert not remedy["enough"] and remedy["peak_then_phase"] == "AdamW.step"
    assert remedy["bytes"] == document["peak_bytes"] - remedy["peak_then_bytes"]
    said = f"not enough by itself: the peak is then about {remedy['peak_then_bytes'] / 2**20:,.1f} MiB, in AdamW.step"
    assert said in check(workspace, "16MiB").stdout


MODELS = {
    # Its softmax stays in 32 bits, beside a copy in 16: little is gained.
    "gpt2": ["model={name: gpt2, size: small, context: 512}", "data.batch_size=4"],
    "llama": ["model={name: llama, size: 350m, context: 1024}", "data.batch_size=4"],
    "llama, attention in one kernel": ["model={name: llama, size: 350m, context: 1024}", "data.batch_size=4", "attention=sdpa"],
    "resnet50": ["model={name: resnet50}", "data={source: synthetic, batch_size: 32}"],
    "distilbert": ["model={name: distilbert, context: 512}", "data.batch_size=8"],
}


@pytest.mark.parametrize("model", MODELS)
def test_a_forward_in_16_bits_gains_about_what_is_said(workspace, model):
    common = ["schedule={wait: 0, warmup: 1, active: 2}", "plugins=[allocator_tracer]", "optimizer.name=adamw", *MODELS[model]]
    peaks = {}
    for precision in ("fp32", "bf16_autocast"):
        workspace.write("c.yaml", "model: {name: transformer, size: small}\n")
        done = workspace.strata("run", "c.yaml", "--dry", "h100-80gb", "--out", "out" if precision == "fp32" else "half", f"precision={precision}", "--json", *common)
        assert done.returncode == 0, done.stderr
        peaks[precision] = max(step["peak_allocated_bytes"] for step in json.loads(done.stdout)["steps"])
    remedies = json.loads(check(workspace, "1MiB", "--json").stdout)["remedies"]
    said = sum(remedy["bytes"] for remedy in remedies if "a forward in 16 bits" in remedy["change"])
    gained = max(peaks["fp32"] - peaks["bf16_autocast"], 0)
    assert abs(said - gained) <= peaks["fp32"] / 20, (said, gained, peaks)


def test_where_it_fits_nothing_is_asked_to_change(recorded):
    assert json.loads(check(recorded[0], "1GiB", "--json").stdout)["remedies"] == []


@pytest.mark.parametrize("budget", ["", "much", "-1GiB", "0", "12 gigs"])
def test_what_is_no_size_is_refused(recorded, budget):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and "--budget" in done.stderr


@pytest.mark.parametrize(("budget", "meant"), [("24", "24GiB?"), ("24000", "24000MiB?")])
def test_a_number_that_lacks_its_unit_is_refused(recorded, budget, meant):
    done = check(recorded[0], budget)
    assert done.returncode == 2 and meant in done.stderr
