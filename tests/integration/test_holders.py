# SPDX-License-Identifier: Apache-2.0
"""`strata exec --holders`: the Python variables that keep more tensors from step to step."""

import json
import sys

import pytest

TRAINING = """
import collections, sys, torch
model = torch.nn.Linear(256, 256).cuda()
optimizer = torch.optim.AdamW(model.parameters())
class Log:
    def __init__(self):
        self.losses = {"train": []}
log, last = Log(), collections.deque(maxlen=2)
weights = []
def train(steps):
    history = []
    for step in range(steps):
        loss = model(torch.randn(64, 256, device="cuda")).square().mean()
        loss.backward()
        if "gradients" in sys.argv:
            history.append(model.weight.grad.clone())
        optimizer.step()
        optimizer.zero_grad()
        last.append(torch.ones(1000, device="cuda"))
        if "losses" in sys.argv:
            log.losses["train"].append(model(torch.randn(64, 256, device="cuda")).mean())
        if "weights" in sys.argv:
            weights.append([parameter.detach().clone() for parameter in model.parameters()])
train(int(sys.argv[1]))
"""


def held(workspace, *words):
    workspace.write("train.py", TRAINING)
    done = workspace.strata("exec", "--dry", "t4", "--holders", "--out", "out", "--", sys.executable, "train.py", *words)
    assert done.returncode == 0, done.stderr
    files = list((workspace.folder / "out").glob("holders-*.json"))
    growing = json.loads(files[0].read_text())["growing"] if files else None
    return {each["holder"]: each for each in growing or []}, done.stderr


@pytest.mark.parametrize(
    "word, holder, bytes_per_step, graphs",
    [
        ("gradients", "`history[...]` in train() of train.py", 256 * 256 * 4, 0),
        ("weights", "`weights[...]` of train.py", 256 * 257 * 4, 0),
        ("losses", "`log.losses['train'][...]` of train.py", 4, 11),
    ],
)
def test_what_grows_is_named(workspace, word, holder, bytes_per_step, graphs):
    growing, said = held(workspace, "12", word)
    assert set(growing) == {holder}, growing
    one = growing[holder]
    assert one["bytes_per_step"] == bytes_per_step and one["with_graph"] == graphs
    assert f"strata: {holder} keeps " in said and ("graph of backward" in said) == (graphs > 0)


def test_a_program_that_keeps_nothing(workspace):
    growing, said = held(workspace, "12")
    assert not growing and "no Python variable held more tensors after step 12 than before" in said


def test_a_short_program_is_told(workspace):
    growing, said = held(workspace, "4", "weights")
    assert not growing and "the program has fewer steps" in said


def test_needs_a_recording(workspace):
    done = workspace.strata("exec", "--dry", "t4", "--holders", "--plugins", "none", "--", sys.executable, "-c", "0")
    assert done.returncode == 125 and "--holders needs a recording" in done.stderr
