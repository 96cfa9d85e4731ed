# SPDX-License-Identifier: Apache-2.0
"""Pinned host memory: a program's requests, and the host memory that torch's allocator takes for
them."""

import json
import sys

import pytest
from workspaces import Workspace

# 65 MiB each, for which torch takes 128.
PROGRAM = """
import torch
def pinned(count, mebibytes):
    return [torch.empty(mebibytes << 20, dtype=torch.uint8, pin_memory=True) for _ in range(count)]
model = torch.nn.Linear(1024, 1024).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
kept = pinned(3, 65)
del kept
kept = pinned(2, 65) + pinned(1, 64)
for _ in range(3):
    model(torch.randn(64, 1024, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print(torch.cuda.host_memory_stats()["allocated_bytes.peak"])
"""
MIB = 1 << 20


@pytest.fixture(scope="module")
def pinned(tmp_path_factory):
    """The workspace with the run, and the peak host memory that torch counted."""
    workspace = Workspace(tmp_path_factory.mktemp("pinned"))
    workspace.write("program.py", PROGRAM)
    done = workspace.strata("exec", "--dry", "a100-40gb", "--out", "out", "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr
    return workspace, int(done.stdout)


def test_the_report_says_what_the_allocator_took(pinned):
    workspace, taken = pinned
    summary = json.loads(workspace.strata("report", "out", "--json").stdout)
    (other,) = (each for each in summary["other_memory"] if each["device"] == "pinned")
    assert other["peak_allocated_bytes"] == 195 * MIB
    assert other["peak_reserved_bytes"] == taken == (3 * 128 + 64) * MIB
    told = " ".join(workspace.strata("report", "out").stdout.split())
    assert "195.000 MiB at most on pinned before the window; 448.000 MiB with what the allocator rounds up and keeps for later" in told


def test_its_blocks_are_whole_ones(pinned):
    workspace, taken = pinned
    summary = json.loads(workspace.strata("report", "out", "--device", "pinned", "--json").stdout)
    assert summary["peak"]["allocated_bytes"] == (2 * 128 + 64) * MIB
    assert summary["peak"]["reserved_bytes"] == taken
    moment = summary["reconciliation"]
    assert moment["rounding_bytes"] == 2 * 63 * MIB and moment["requested_bytes"] == 194 * MIB
    blocks = json.loads(workspace.strata("report", "out", "--device", "pinned", "--detail", "100%", "--json").stdout)["blocks"]
    assert sorted(block["bytes"] // MIB for block in blocks) == [64, *[128] * 5]
