# SPDX-License-Identifier: Apache-2.0
"""`strata exec` of ranks that share a model with DDP and FSDP2: on the CPU through gloo, on dry
cards through NCCL."""

import json
import sys

import pytest
from workspaces import Workspace

PROGRAM = """
import os, sys, torch, torch.distributed as distributed
from torch import nn
kind, device = sys.argv[1:]
distributed.init_process_group("nccl" if device == "cuda" else "gloo")
if device == "cuda":
    torch.cuda.set_device(0)
torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(4))).to(device)
if kind == "ddp":
    model = nn.parallel.DistributedDataParallel(model)
else:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    mesh = init_device_mesh(device, (2,))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    batch = torch.randn(32, 256, device=device)
    model(batch).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
if device == "cuda":
    # In one write: print makes several where standard output has no buffer, and ranks share it.
    os.write(1, f"peak {distributed.get_rank()} {torch.cuda.max_memory_allocated()}\\n".encode())
distributed.destroy_process_group()
"""
PARAMETERS = 4 * (256 * 256 + 256) * 4


@pytest.fixture(scope="module", params=["ddp-cpu", "ddp-cuda", "fsdp-cpu", "fsdp-cuda"])
def recorded(request, tmp_path_factory):
    """(kind, workspace, output of both ranks, a summary of each)."""
    kind, device = request.param.split("-")
    workspace = Workspace(tmp_path_factory.mktemp(request.param))
    workspace.write("program.py", PROGRAM)
    dry = ["--dry", "h100-80gb"] if device == "cuda" else []
    words = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "program.py", kind, device]
    done = workspace.strata("exec", *dry, "--out", "out", "--", sys.executable, *words, OMP_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    out = workspace.folder / "out"
    return kind, workspace, done.stdout, [json.loads((out / rank / "summary.json").read_text()) for rank in (".", "rank1")]


pytestmark = pytest.mark.long


def test_steps_and_what_is_unknown(recorded):
    _, _, _, summaries = recorded
    for summary in summaries:
        assert len(summary["steps"]) == 3
        assert summary["categories"]["Unknown"]["max"] <= 0.05 * summary["peak"]["allocated_bytes"]


def test_peaks_are_torchs(recorded):
    _, _, printed, summaries = recorded
    if summaries[0]["device"] == "cpu":
        pytest.skip("torch counts no peak of the CPU's memory")
    peaks = dict(line.split()[1:] for line in printed.splitlines() if line.startswith("peak"))
    assert peaks == {str(rank): str(summary["peak"]["allocated_bytes"]) for rank, summary in enumerate(summaries)}


def test_each_rank_has_its_share(recorded):
    """Parameters and state: all of them with DDP, half with sharding."""
    kind, _, _, summaries = recorded
    share = PARAMETERS if kind == "ddp" else PARAMETERS // 2
    for summary in summaries:
        state = summary["categories"]["Optimizer_State"]["max"]
        assert 2 * share <= state < 2 * share + 8 * 512  # and a step count for each parameter
        assert summary["categories"]["Parameter"]["min"] == share
        if kind == "ddp":  # DDP has gradients twice: their own blocks, and in buckets
            assert summary["categories"]["Gradient"]["max"] >= 2 * share


def test_names_are_the_models(recorded):
    kind, workspace, _, _ = recorded
    prefix = "module." if kind == "ddp" else ""
    names = {name for (name,) in workspace.query("out", "SELECT DISTINCT name FROM tensor")}
    for layer in range(4):
        assert {f"{prefix}{layer}.weight", f"{prefix}{layer}.weight.grad"} <= names
    assert {"exp_avg", "exp_avg_sq"} <= names
    assert not [name for name in names if "param_groups" in name or "optimizer state" in name]


def test_what_is_gathered_is_told_from_what_is_kept(recorded):
    kind, workspace, _, _ = recorded
    detail = workspace.strata("report", "out", "--rank", "0", "--detail", "100%", "--json")
    assert detail.returncode == 0, detail.stderr
    kinds = {(block["category"], block["kind"]) for block in json.loads(detail.stdout)["blocks"]}
    assert (("Parameter", "gathered") in kinds) == (kind == "fsdp")
    assert (("Temporary", "comm") in kinds) == (kind == "fsdp")
