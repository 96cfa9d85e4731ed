# SPDX-License-Identifier: Apache-2.0
"""`strata exec` of programs that start others: ranks, loaders' workers, forks. Nothing hangs,
nothing is counted twice."""

import json
import os
import shutil
import sqlite3
import sys
import time

import pytest

# How often each start of several processes is tried. STRATA_STARTS=100 tries a hundred, which takes
# half an hour.
repeated = pytest.mark.parametrize("turn", range(int(os.environ.get("STRATA_STARTS", "1"))))

RANKS = """
import os, sys, time, torch, torch.distributed as distributed
distributed.init_process_group("gloo")
rank = distributed.get_rank()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(4):
    if sys.argv[1] == "killed" and rank == 2 and step == 2:
        os.kill(os.getpid(), 9)
    optimizer.zero_grad()
    model(torch.randn(8, 64)).sum().backward()
    optimizer.step()
distributed.destroy_process_group()
"""


def torchrun(workspace, how):
    workspace.write("ranks.py", RANKS)
    words = ["-m", "torch.distributed.run", "--nproc-per-node", "4", "--master-port", "0", "--standalone", "ranks.py", how]
    return workspace.strata("exec", "--out", "out", "--", sys.executable, *words, OMP_NUM_THREADS="1")


def stores(workspace):
    return {store.parent.name: store for store in (workspace.folder / "out").glob("rank*/*.sqlite")}


@repeated
def test_every_rank_of_torchrun_is_recorded(workspace, turn):
    result = torchrun(workspace, "whole")
    assert result.returncode == 0, result.stderr
    assert sorted(stores(workspace)) == ["rank0", "rank1", "rank2", "rank3"]
    assert len(list((workspace.folder / "out").glob("rank*/*.sqlite"))) == 4  # and no store of the agent
    for rank in range(4):
        folder = workspace.folder / "out" / (f"rank{rank}" if rank else ".")
        summary = json.loads((folder / "summary.json").read_text())
        assert len(summary["steps"]) == 4, rank
        assert summary["categories"]["Parameter"]["max"] == 4 * (64 * 64 + 64)
        assert json.loads((folder / "manifest.json").read_text())["end"] == "done"


@repeated
def test_a_rank_that_is_killed_leaves_what_it_recorded(workspace, turn):
    result = torchrun(workspace, "killed")
    assert result.returncode == 1
    assert sorted(stores(workspace)) == ["rank0", "rank1", "rank2", "rank3"]
    killed = workspace.folder / "out/rank2"
    assert len(json.loads((killed / "summary.json").read_text())["steps"]) >= 2
    assert "recovered after the process died" in result.stderr


CHILDREN = """
import multiprocessing, os, sys, torch
def work(rank):
    torch.manual_seed(rank)
    layer = torch.nn.Linear(16, 16)
    layer(torch.ones(2, 16)).sum().backward()
    print(f"{layer.weight.sum().item():.6f}", flush=True)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    children = [context.Process(target=work, args=(rank,)) for rank in range(2)]
    for child in children:
        child.start()
        child.join()
        assert child.exitcode == 0
    work(2)
"""


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_do_their_work(workspace, how):
    workspace.write("children.py", CHILDREN)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "children.py", how)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.split()) == 3
    # A child that inherits torch records nothing; one that loads torch itself has its own store.
    found = list((workspace.folder / "out/rank0").glob("*.sqlite"))
    assert len(found) == {"fork": 1, "spawn": 3, "forkserver": 3}[how]
    assert ("another process of this run" in result.stderr) == (len(found) > 1)


LOADER = """
import torch
data = torch.utils.data.TensorDataset(torch.arange(64.0).reshape(64, 1))
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
seen = 0
for epoch in range(2):
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=8, num_workers=4, persistent_workers=epoch == 1):
        seen += batch.sum().item()
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
print(seen)
"""


@repeated
def test_a_loader_with_four_workers(workspace, turn):
    workspace.write("loader.py", LOADER)
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "loader.py")
    assert (result.returncode, result.stdout) == (0, f"{2.0 * sum(range(64))}\n"), result.stderr
    assert len(list((workspace.folder / "out/rank0").glob("*.sqlite"))) == 1
    summary = json.loads((workspace.folder / "out/summary.json").read_text())
    assert len(summary["steps"]) == 16


FORKS = """
import os, torch
parameter = torch.nn.Parameter(torch.ones(1024, device="cuda"))
for _ in range(REPETITIONS):
    child = os.fork()
    if child == 0:
        torch.ones(64).sum().item()
        os._exit(7)
    (parameter * 2).sum().backward()
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7, status
print("done")
"""


@pytest.mark.parametrize("repetitions", [5, pytest.param(100, marks=pytest.mark.long)])
def test_forks_after_cuda_was_initialised(workspace, repetitions):
    workspace.write("forks.py", FORKS.replace("REPETITIONS", str(repetitions)))
    begun = time.monotonic()
    result = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--", sys.executable, "forks.py", timeout=300)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
    assert time.monotonic() - begun < 300
    assert len(list((workspace.folder / "out/rank0").glob("*.sqlite"))) == 1


IN_A_HANDLER = """
import ctypes, os, signal, torch
libc = ctypes.CDLL(None)
torch.nn.Linear(16, 16)(torch.ones(2, 16)).sum().backward()
if HANDLED:
    libc.signal(signal.SIGUSR1, ctypes.cast(libc._exit, ctypes.c_void_p))
    os.kill(os.getpid(), signal.SIGUSR1)
libc._exit(10)
"""


@pytest.mark.parametrize("handled", [False, True])
def test_exit_from_a_signals_handler_leaves_the_record_as_a_kill_does(workspace, handled):
    """The handler may interrupt anything: an allocation, or the writer while it holds its own
    lock."""
    workspace.write("leaves.py", IN_A_HANDLER.replace("HANDLED", str(handled)))
    result = workspace.strata("exec", "--out", "out", "--", sys.executable, "leaves.py")
    assert result.returncode == 10, result.stderr
    manifest = json.loads((workspace.folder / "out/manifest.json").read_text())
    assert (manifest["state"], manifest["end"]) == (("open", None) if handled else ("closed", "failed"))
    assert ("recovered after the process died" in result.stderr) == handled
    assert json.loads((workspace.folder / "out/summary.json").read_text())["categories"]["Gradient"]["max"] > 0


STEPS = """
import os, sys, pathlib, shutil
rank = pathlib.Path("out/rank0")
if len(sys.argv) > 2:
    rank.mkdir()
    [store] = pathlib.Path(sys.argv[2], "rank0").glob("*.sqlite")
    shutil.copy(store, rank / f"{os.getpid()}.sqlite")
    shutil.copy(store.with_name(f"manifest-{store.stem}.json"), rank / f"manifest-{os.getpid()}.json")
import torch
layer = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(int(sys.argv[1])):
    layer(torch.ones(2, 16)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
print(os.getpid())
"""


def trained(workspace, out, steps, *words, **environment):
    workspace.write("steps.py", STEPS)
    result = workspace.strata("exec", "--out", out, "--", sys.executable, "steps.py", str(steps), *words, **environment)
    assert result.returncode == 0, result.stderr
    return result


def test_two_processes_with_one_id_are_both_recorded(workspace):
    """This happens in containers that share the run's folder, or when the system reuses an id: the
    first process's record is already there."""
    trained(workspace, "first", 3)
    result = trained(workspace, "out", 5, "first")
    assert "nothing of process" not in result.stderr
    pid = int(result.stdout)
    assert sorted(int(store.stem) for store in (workspace.folder / "out/rank0").glob("*.sqlite")) == [pid, pid + (1 << 22)]
    assert len(json.loads((workspace.folder / "out/summary.json").read_text())["steps"]) == 5
    assert json.loads((workspace.folder / "out/manifest.json").read_text())["process"]["pid"] == pid + (1 << 22)


def test_ranks_on_several_hosts_may_have_one_id(workspace):
    """Each rank's manifest is its own. A process on this host that has the id of an empty store
    proves nothing."""
    run = workspace.folder / "run"
    for rank in range(2):
        trained(workspace, f"host{rank}", 3 + rank, RANK=str(rank), WORLD_SIZE="2")
        (run / f"rank{rank}").mkdir(parents=True)
        [store] = (workspace.folder / f"host{rank}/rank{rank}").glob("*.sqlite")
        shutil.copy(store, run / f"rank{rank}/7.sqlite")
        manifest = json.loads(store.with_name(f"manifest-{store.stem}.json").read_text())
        manifest["process"]["pid"] = 7
        (run / f"rank{rank}/manifest-7.json").write_text(json.dumps(manifest))
    shutil.copy(run / "rank0/7.sqlite", run / "rank0/1.sqlite")
    with sqlite3.connect(run / "rank0/1.sqlite") as empty:
        empty.execute("DELETE FROM allocator_tracer_event")
        empty.execute("DELETE FROM host_step_end")
    shutil.copy(workspace.folder / "host0/exec.json", run)
    assert workspace.strata("report", run).returncode == 0
    for rank in range(2):
        manifest = json.loads((run / (f"rank{rank}" if rank else ".") / "manifest.json").read_text())
        assert manifest["process"]["rank"] == rank
    assert not (run / "rank0/1.sqlite").exists()


# A start takes some seconds; STRATA_STARTS=100 tries a hundred.
@pytest.mark.long
def test_a_program_starts_and_ends_every_time(workspace):
    workspace.write("short.py", "import torch\n(torch.ones(8, requires_grad=True) * 2).sum().backward()\n")
    for turn in range(int(os.environ.get("STRATA_STARTS", "20"))):
        result = workspace.strata("exec", "--out", f"out{turn}", "--", sys.executable, "short.py", timeout=120)
        assert result.returncode == 0, (turn, result.stderr)
        assert os.path.exists(workspace.folder / f"out{turn}/report.html"), turn
