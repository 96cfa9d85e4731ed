# SPDX-License-Identifier: Apache-2.0
"""Memory in the allocator's private pools, of programs recorded on a dry card: graphs' pools, and
memory that another engine keeps."""

import collections
import json
import sys

import pytest

BEGIN = """
import torch
from torch import nn
MIB = 1 << 20
"""

GRAPHS = """
served = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024)).cuda().requires_grad_(False)
graphs = []
for rows in (4096, 2048, 1024):
    batch = torch.zeros(rows, 1024, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        served(batch)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        result = served(batch)
    graphs.append((graph, batch, result))
"""

CACHE = """
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    cache = [torch.empty(7 * MIB, dtype=torch.uint8, device="cuda") for _ in range(4)]
"""

TRAINS = """
model = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.randn(256, 1024, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.mark.parametrize(("program", "pooled", "inputs"), [(GRAPHS, 28 << 20, 28 << 20), (CACHE, 28 << 20, 0)], ids=["graphs", "cache"])
def test_what_lies_in_a_private_pool_is_no_input(workspace, program, pooled, inputs):
    """A graph's inputs are outside its pool; its results are in it."""
    workspace.write("program.py", BEGIN + program + TRAINS)
    done = workspace.strata("exec", "--dry", "a100-40gb", "--out", "out", "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert summary["categories"]["Unknown"]["max"] <= 0.01 * summary["peak"]["allocated_bytes"]
    kinds = collections.Counter()
    for block in json.loads(workspace.strata("report", "out", "--detail", "100%", "--json").stdout)["blocks"]:
        if block["phase"] is None and block["step"] is None:  # before training
            kinds[block["category"]] += block["bytes"] if block["kind"] in ("graph_pool", "input") else 0
    assert kinds["Temporary"] == pooled
    assert inputs <= kinds["Input"] <= inputs + (4 << 20)  # and the batches
