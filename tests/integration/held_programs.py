# SPDX-License-Identifier: Apache-2.0
"""A small model with an optimizer, and a fixture that records programs that use them."""

import functools
import json
import sys

import pytest
from workspaces import Workspace

MODEL = """
import sys, torch
from torch import nn
kept, lets_go = [], "lets go" in sys.argv
model = nn.Sequential(nn.Linear(1024, 1024), nn.Tanh(), nn.Linear(1024, 1024), nn.Tanh(), nn.Linear(1024, 64)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
def backward(rows=512):
    loss = model(torch.randn(rows, 1024, device="cuda")).square().mean()
    loss.backward()
def train(rows=512):
    backward(rows)
    optimizer.step()
    optimizer.zero_grad()
"""
PEAK = "\nprint(torch.cuda.max_memory_allocated())\n"


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A function that records a program once and returns its peak, its shapes and findings by kind,
    and its warnings."""
    workspace = Workspace(tmp_path_factory.mktemp("held"))

    @functools.lru_cache(None)
    def run(text, *words, memory="40GiB", fails=False):
        out = f"out{len(list(workspace.folder.glob('out*')))}"
        workspace.write("program.py", MODEL + text + PEAK)
        dry = ("--dry", "a100-40gb", "--device-memory", memory)
        done = workspace.strata("exec", *dry, "--out", out, "--", sys.executable, "program.py", *words)
        assert (done.returncode != 0) == fails, done.stderr
        told = lambda *asked: json.loads(workspace.strata("report", out, *asked, "--json").stdout)
        shapes = {shape["kind"]: shape for shape in told("--shapes")["shapes"]}
        findings = {finding["kind"]: finding for finding in told("--budget", "1MiB")["findings"]}
        shown = " ".join(workspace.strata("report", out).stdout.split())
        warnings = told()["warnings"]
        assert all(warning in shown for warning in warnings)
        assert bool(warnings) == ("Warning" in shown)
        return int(done.stdout.split()[-1]) if not fails else 0, shapes, findings, shown

    return run
