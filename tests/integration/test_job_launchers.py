# SPDX-License-Identifier: Apache-2.0
"""Programs that start the ranks of a job themselves, and stores that are files: only the chosen rank runs."""

import json
import pathlib
import signal
import subprocess
import sys
import time

import pytest

# As PyTorch's tutorials start ranks.
SPAWNS = """
import json, os, sys, torch, torch.distributed as dist, torch.multiprocessing as mp

def train(index, node, on_node, world, store):
    rank = node * on_node + index
    torch.cuda.set_device(index)
    dist.init_process_group("nccl", init_method=store, rank=rank, world_size=world)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda(), device_ids=[index])
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        model(torch.randn(8, 64, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    print(json.dumps([index, dist.get_rank(), dist.get_world_size(), torch.cuda.current_device()]))
    dist.destroy_process_group()

if __name__ == "__main__":
    start, node, on_node, nodes, store = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    getattr(mp, start)(train, args=(node, on_node, nodes * on_node, store), nprocs=on_node)
"""


@pytest.mark.parametrize(
    ("start", "rank", "node", "store"),
    [("spawn", 0, 0, "tcp://localhost:12355"), ("start_processes", 13, 1, "file:///nowhere/of/the/job")],
)
def test_spawned_processes_are_this_rank(workspace, start, rank, node, store):
    """Only one is started, with the index that the rank has on its node; no file is shared."""
    workspace.write("spawns.py", SPAWNS)
    words = ["--dry", "h100-80gb", "--out", "out", "--world", 64, "--rank", rank, "--", sys.executable, "spawns.py", start, node, 8, 8, store]
    done = workspace.strata("exec", *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [rank % 8, rank, 64, rank % 8]
    found = json.loads(workspace.strata("report", "out", "--json").stdout)
    assert found["peak"]["allocated_bytes"] > 3 * 64 * 64 * 4, "the spawned process was recorded"


def test_a_spawned_rank_that_fails_ends_the_program(workspace):
    workspace.write("fails.py", "import torch.multiprocessing as mp\ndef fail(index):\n    raise OSError('no data')\nif __name__ == '__main__':\n    mp.spawn(fail, nprocs=8)\n")
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 8, "--", sys.executable, "fails.py")
    assert done.returncode == 1 and "OSError: no data" in done.stderr



SAVES = """
import os, signal, sys, time, torch
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
open("ready", "w").write(str(os.getpid()))
while not asked:
    time.sleep(0.05)
time.sleep(1)
print("saved", flush=True)
sys.exit(3)
"""


def test_a_worker_that_saves_first_ends_before_strata(workspace):
    """It takes SIGTERM itself, as trainers do; torchrun's place is its own."""
    workspace.write("saves.py", SAVES)
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "8", "saves.py"]
    words = workspace.command("exec", "--dry", "h100-80gb", "--world", 8, "--", *launch)
    process = subprocess.Popen(words, cwd=workspace.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ready, limit = workspace.folder / "ready", time.monotonic() + 60
    while not (ready.exists() and ready.read_text()):
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate(timeout=60)
    assert (printed, process.returncode) == ("saved\n", 3)
    assert not pathlib.Path("/proc", ready.read_text()).exists()
