# SPDX-License-Identifier: Apache-2.0
"""`strata exec` of ranks that torch.multiprocessing.spawn starts: each gets its rank after it has
started, and has a folder."""

import json
import sys

import pytest

PROGRAM = """
import os, signal, sys, time, torch
import torch.multiprocessing
from torch import nn

def work(rank, how):
    if how == "group":
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29563")
        torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    else:
        os.environ["RANK"] = str(rank)
    model = nn.Linear(256, 256 * (rank + 1)).cuda(rank)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(5):
        model(torch.randn(64, 256, device=f"cuda:{rank}")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    if how == "ended":
        open(f"ready{rank}", "w").close()
        time.sleep(60)
    if how == "group":
        torch.distributed.destroy_process_group()

if __name__ == "__main__":
    how = sys.argv[1]
    context = torch.multiprocessing.spawn(work, args=(how,), nprocs=2, join=how != "ended")
    if how == "ended":
        while not (os.path.exists("ready0") and os.path.exists("ready1")):
            time.sleep(0.05)
        for process in context.processes:
            process.terminate()
            process.join()
        sys.exit(143)
"""


@pytest.mark.parametrize(("how", "code"), [("environment", 0), ("group", 0), ("ended", 143)])
def test_each_rank_has_a_folder(workspace, how, code):
    workspace.write("program.py", PROGRAM)
    done = workspace.strata("exec", "--dry", "a100-40gb:2", "--out", "out", "--", sys.executable, "program.py", how)
    assert done.returncode == code, done.stderr
    assert "another process of this run" not in done.stderr
    for rank in range(2):
        assert len(list((workspace.folder / f"out/rank{rank}").glob("*.sqlite"))) == 1
        place = json.loads((workspace.folder / "out" / (f"rank{rank}" if rank else ".") / "manifest.json").read_text())["process"]
        assert (place["rank"], place["world_size"]) == (rank, 2)
        summary = json.loads(workspace.strata("report", "out", "--rank", rank, "--json").stdout)
        assert len(summary["steps"]) == 5
        assert summary["categories"]["Parameter"]["max"] == (rank + 1) * (256 * 256 + 256) * 4
    shown = json.loads(workspace.strata("report", "out", "--ranks", "--json").stdout)
    assert [rank["rank"] for rank in shown["ranks"]] == [0, 1] and shown["world_size"] == 2
