# SPDX-License-Identifier: Apache-2.0
"""Programs that keep what forwards made, and programs that only look so: the findings."""

import functools
import json
import sys

import pytest
from workspaces import Workspace

MODEL = """
import sys, torch
from torch import nn
kept, lets_go = [], "lets go" in sys.argv
model = nn.Sequential(nn.Linear(256, 1024), nn.Tanh(), nn.Linear(1024, 1024), nn.Tanh(), nn.Linear(1024, 512)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
def train(rows=1024):
    loss = model(torch.randn(rows, 256).cuda()).logsumexp(1).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss
"""

# Each holds memory that it should free, unless its arguments say to let go.
GROWS = {
    "outputs in a list": """
for _ in range(14):
    train()
    out = model(torch.randn(1024, 256).cuda())
    out.mean().backward()
    optimizer.zero_grad()
    kept.append(out.mean(1, keepdim=True).expand(-1, 512).tanh() if not lets_go else out.mean().item())
""",
    "an evaluation with its graph": """
for _ in range(2):
    for _ in range(4):
        train()
    for _ in range(8):
        out = model(torch.randn(1024, 256).cuda())
        kept.append(out.detach() if lets_go else out)
""",
    "the only evaluation, at the end": """
for _ in range(5):
    train()
for _ in range(12):
    out = model(torch.randn(1024, 256).cuda())
    kept.append(out.detach() if lets_go else out)
""",
    "losses of inputs beside": """
for _ in range(16):
    train()
    loss = model(torch.randn(1024, 256).cuda()).mean()
    kept.append(loss.detach() if lets_go else loss)
""",
}

IS_LEVEL = {
    "a training": "for _ in range(6): train()",
    "losses without their graph": "for _ in range(8): kept.append(train().detach())",
    "inputs of other lengths": "for rows in (64, 128, 256, 512, 1024, 768, 2048, 4096): train(rows)",
    "a queue of four": """
import collections
queue = collections.deque(maxlen=4)
for _ in range(12):
    train()
    with torch.no_grad():
        queue.append(model(torch.randn(1024, 256).cuda()))
""",
    "rollouts that are used and made anew": """
for _ in range(3):
    kept = []
    for _ in range(6):
        with torch.no_grad():
            kept.append(model(torch.randn(1024, 256).cuda()))
    for _ in range(4):
        train()
""",
    "forwards before one backward": """
for _ in range(5):
    outs = [model(torch.randn(512, 256).cuda()) for _ in range(6)]
    torch.stack(outs).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
""",
}


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A function that records a program once and returns another function, which gives a report of
    it as JSON."""
    workspace = Workspace(tmp_path_factory.mktemp("growing"))

    @functools.lru_cache(None)
    def run(text, *words):
        out = f"out{len(list(workspace.folder.glob('out*')))}"
        workspace.write("program.py", MODEL + text)
        done = workspace.strata("exec", "--dry", "h100-80gb", "--layers", "--out", out, "--", sys.executable, "program.py", *words)
        assert done.returncode == 0, done.stderr
        return lambda *asked: json.loads(workspace.strata("report", out, *asked, "--json").stdout)

    return run


def shapes_of(report):
    return {shape["kind"]: shape for shape in report("--shapes")["shapes"]}


@pytest.mark.parametrize("name", GROWS)
def test_what_adds_up_is_found_at_the_peak(record, name):
    report = record(GROWS[name])
    shape = shapes_of(report)["growing_memory"]
    assert shape["sentence"].startswith("Memory grows by ") and "is still alive at the end" in shape["sentence"]
    budget = report("--budget", "1MiB")
    [held] = [finding for finding in budget["findings"] if finding["kind"] == "kept_from_earlier"]
    assert held["text"].startswith("The program still holds results of ")
    let_go = record(GROWS[name], "lets go")("--budget", "1MiB")
    assert 0.9 * (budget["peak_bytes"] - let_go["peak_bytes"]) <= held["bytes"] <= budget["peak_bytes"]


@pytest.mark.parametrize("name", IS_LEVEL)
def test_what_comes_back_does_not_grow(record, name):
    report = record(IS_LEVEL[name])
    assert "growing_memory" not in shapes_of(report)
    assert not [finding for finding in report("--budget", "1MiB")["findings"] if finding["kind"] == "kept_from_earlier"]


def test_no_other_shape_says_that_it_comes_back(record):
    told = shapes_of(record(GROWS["outputs in a list"]))
    assert "returns to it" not in told["repeating_step"]["sentence"]
    assert "no later step does" not in told["first_step_growth"]["sentence"]


def test_of_an_evaluations_triangle_backward_takes_what_is_its_own(record):
    evaluated = record("for _ in range(3): train()\nfor _ in range(9): kept.append(model(torch.randn(1024, 256).cuda()))\ntrain()")
    assert shapes_of(evaluated)["forward_triangle"]["sentence"].endswith("Backward frees 10.0 MiB of them.")


# A loss's softmax keeps its own result for backward, so only the program keeps the logits.
HOLDS_LOGITS = """
head = nn.Linear(512, 16384).cuda()
for _ in range(3):
    logits = head(model(torch.randn(1024, 256).cuda()))
    loss = nn.functional.cross_entropy(logits, torch.zeros(1024, dtype=torch.long).cuda())
    if lets_go: del logits
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_logits_in_a_variable_are_held_beside_backward(record):
    budget = record(HOLDS_LOGITS)("--budget", "1MiB")
    [held] = [finding for finding in budget["findings"] if finding["kind"] == "held_by_program"]
    assert held["text"].startswith("The program holds what aten::addmm") and "but backward reads only its softmax" in held["text"]
    let_go = record(HOLDS_LOGITS, "lets go")("--budget", "1MiB")
    assert budget["peak_bytes"] - held["bytes"] == pytest.approx(let_go["peak_bytes"], rel=0.01)
    assert not [finding for finding in let_go["findings"] if finding["kind"] == "held_by_program"]
