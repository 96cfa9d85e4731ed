# SPDX-License-Identifier: Apache-2.0
"""`strata exec --world`: a program as some ranks of a job; the job's other ranks are absent."""

import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
from workspaces import STRATA

REPOSITORY = pathlib.Path(__file__).parents[2]
# Messages of the job's ranks over the host. The answers are those of peers that do the same.
TALK = """
import json, os, socket, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("cpu:gloo,cuda:nccl", **({"device_id": torch.device("cuda", int(os.environ["LOCAL_RANK"]))} if os.environ.get("BOUND") else {}))
rank, world = dist.get_rank(), dist.get_world_size()
node = dist.new_group(list(range(rank - rank % 8, rank - rank % 8 + 8)), backend="gloo")
cards = dist.new_group(list(range(rank % 4, world, 4)), backend="nccl")
told = {"rank": rank, "world": world, "variables": [os.environ[name] for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK")]}

def reduced(operation, value=3.0):
    tensor = torch.full((2,), value)
    dist.all_reduce(tensor, operation)
    return tensor[0].item()

told["reduced"] = [reduced(getattr(dist.ReduceOp, name)) for name in ("SUM", "PRODUCT", "MAX")]
told["odd"] = reduced(dist.ReduceOp.BXOR, torch.tensor(5, dtype=torch.int32))
objects = [None] * world
dist.all_gather_object(objects, {"rank": rank})
told["objects"] = [len(objects), objects[0], objects[-1]]
dist.barrier(node)
dist.monitored_barrier(node)
gathered = torch.empty(8, 2)
dist.all_gather_into_tensor(gathered, torch.tensor([1.0, 2.0]), group=node)
told["gathered"] = gathered.sum().item()
share = torch.empty(2)
dist.reduce_scatter_tensor(share, torch.arange(16.0), group=node)
told["share"] = share.tolist()
exchanged = torch.empty(16)
dist.all_to_all_single(exchanged, torch.arange(16.0), group=node)
told["exchanged"] = exchanged.tolist()
uneven = torch.empty(9)
dist.all_to_all_single(uneven, torch.arange(16.0), [2] + [1] * 7, [2] * 8, group=node)
told["uneven"] = uneven.tolist()
parts = [torch.empty(1) for _ in range(8)] if dist.get_rank(node) == 0 else None
dist.gather(torch.tensor([7.0]), parts, dst=rank - rank % 8, group=node)
told["parts"] = parts and [part.item() for part in parts]
work = dist.all_reduce(torch.ones(1), group=node, async_op=True)
told["waited"] = [work.wait(), work.get_future().wait()[0].item()]
on_card = torch.empty(dist.get_world_size(cards), device="cuda")
dist.all_gather_into_tensor(on_card, torch.ones(1, device="cuda"), group=cards)
dist.barrier()
for garbage in (bytes(64), b"\\xff" * 64, b"\\x01" + b"\\xff" * 8):  # the store goes on without such clients
    with socket.create_connection(os.environ["STRATA_JOB"].rsplit(":", 1)) as client:
        client.sendall(garbage)
other = dist.TCPStore("head.of.the.job", 29400, world, rank == 0)
other.set(f"told/{rank}", "text")
told["store"] = [other.get(f"told/{(rank + 1) % world}").decode(), other.add("arrived", 1), other.check([f"told/{rank + 1}"])]
other.wait([f"told/{peer}" for peer in range(world)])
try:
    dist.all_reduce(torch.ones(1), group=cards)
except RuntimeError as error:
    told["refused"] = "No backend type associated with device type cpu" in str(error)
print(json.dumps(told))
dist.destroy_process_group()
"""


def talk(workspace, *words, **environment):
    workspace.write("talk.py", TALK)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--world", 512, *words, **environment)
    assert done.returncode == 0, done.stderr
    assert "Overriding" not in done.stderr
    return json.loads(done.stdout)


def check(told, rank):
    assert (told["rank"], told["world"]) == (rank, 512)
    assert told["variables"] == [str(rank % 8), "8", str(rank // 8)]
    assert told["reduced"] == [3.0 * 512, float("inf"), 3.0] and told["odd"] == 0
    assert told["objects"] == [512, {"rank": rank}, {"rank": rank}]
    own = [2.0 * (rank % 8), 2.0 * (rank % 8) + 1]
    assert told["gathered"] == 8 * 3 and told["share"] == [8 * value for value in own]
    assert told["exchanged"] == own * 8 and told["uneven"] == own + [own[0]] * 7
    assert told["parts"] == ([7.0] * 8 if rank % 8 == 0 else None)
    assert told["waited"] == [True, 8.0]
    assert told["store"] == ["text", 512, False] and told["refused"]


@pytest.mark.parametrize("bound", ["", "1"])
def test_a_rank_of_many(workspace, bound):
    """When a rank is bound to its card, torch splits communicators, and only all ranks together
    know how many take part."""
    check(talk(workspace, "--rank", 13, "--", sys.executable, "talk.py", BOUND=bound), 13)
    assert (workspace.folder / "out/rank13/report.html").exists()
    assert "left nothing" not in workspace.strata("report", "out").stdout


def test_torchrun_starts_only_this_rank(workspace):
    """Neither the job's other nodes nor the host of their rendezvous exist."""
    nodes = ["--nnodes", "64", "--nproc-per-node", "8", "--rdzv-backend", "c10d", "--rdzv-endpoint", "head.of.the.job:29500"]
    check(talk(workspace, "--", sys.executable, "-m", "torch.distributed.run", *nodes, "talk.py"), 0)


def test_a_shard_of_a_rank(workspace):
    """A torchrun script runs unchanged and without torchrun."""
    script = REPOSITORY / "tests/dry_gpu/programs/env_rendezvous.py"
    done = workspace.strata("exec", "--dry", "h100-80gb:4", "--world", 64, "--rank", 62, "--", sys.executable, script, "--batch", "4")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["rank"], told["world"], told["local_world"]) == (62, 64, 4)
    assert (told["words"], told["main"]) == (["--batch", "4"], "__main__")
    assert told["shard"] == told["gradient"] == [16, 1024]


def test_torchrun_ends_as_its_worker(workspace):
    workspace.write("fails.py", "import sys\nsys.exit(7)\n")
    words = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "8", "fails.py"]
    assert workspace.strata("exec", "--dry", "h100-80gb", "--world", 8, "--", *words).returncode == 7


PIPELINE = """
import os, torch, torch.distributed as dist
from torch import nn
dist.init_process_group("nccl")
rank, world, stages = dist.get_rank(), dist.get_world_size(), 4
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
mesh = dist.device_mesh.init_device_mesh("cuda", (stages, world // stages), mesh_dim_names=("pp", "dp"))
pipe, stage = mesh.get_group("pp"), mesh.get_local_rank("pp")
layer = nn.Linear(256, 256 * (1 + stage)).cuda()
optimizer = torch.optim.SGD(layer.parameters())
for step in range(3):
    given = torch.empty(64, 256, device="cuda")
    if stage > 0:
        dist.batch_isend_irecv([dist.P2POp(dist.irecv, given, rank - world // stages, pipe)])[0].wait()
    made = layer(given)
    if stage + 1 < stages:
        dist.batch_isend_irecv([dist.P2POp(dist.isend, made[:, :256].contiguous(), rank + world // stages, pipe)])[0].wait()
    made.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
print(f"{rank} {torch.cuda.max_memory_allocated()}\\n", end="", flush=True)
dist.destroy_process_group()
"""


def exchange_singly(program):
    """Exchange with isend and irecv instead of a batch."""
    return re.sub(r"dist\.batch_isend_irecv\(\[dist\.P2POp\(dist\.(i\w+), (.*), pipe\)\]\)\[0\]", r"dist.\1(\2, pipe)", program)


@pytest.mark.parametrize("how", [str, exchange_singly])
def test_representative_ranks_are_those_of_a_pipeline(workspace, how):
    workspace.write("pipeline.py", how(PIPELINE))
    words = ("--dry", "h100-80gb", "--out", "out", "--world", 64, "--ranks", "representative", "--", sys.executable, "pipeline.py")
    done = workspace.strata("exec", *words)
    assert done.returncode == 0, done.stderr
    for rank in (16, 32, 48):
        assert f"rank 0 exchanges tensors directly with rank {rank}, so rank {rank} is run, too" in done.stderr
    shown = json.loads(workspace.strata("report", "out", "--ranks", "--json").stdout)
    assert [rank["rank"] for rank in shown["ranks"]] == [0, 16, 32, 48] and shown["lost"] == []
    peaks = {rank["rank"]: rank["peak"]["allocated_bytes"] for rank in shown["ranks"]}
    assert peaks == {int(rank): int(peak) for rank, peak in map(str.split, done.stdout.splitlines())}
    assert list(peaks.values()) == sorted(peaks.values()) and shown["imbalance"]["heaviest"] == 48
    assert "left nothing" not in done.stderr
    assert shown["stragglers"] == shown["steps"] == [], "they ran in turn"


OBJECTS = """
import os, torch, torch.distributed as dist
dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
pair = dist.new_group([rank % 8, rank % 8 + 8]) if rank < 16 else None
config = [{"shape": (3, rank)} if rank == 0 else None, "of rank 0" if rank == 0 else None]
dist.broadcast_object_list(config)
given = [None]
if rank == 10:
    dist.recv_object_list(given, src=2, group=pair)
    dist.send_object_list([torch.Size([7, 7]), given[0]], dst=2, group=pair)
elif rank == 2:
    dist.send_object_list([("from", 2)], dst=10, group=pair)
    given = [None, None]
    dist.recv_object_list(given, src=10, group=pair)
print(f"{rank} {config} {given}\\n", end="", flush=True)
dist.destroy_process_group()
"""


def test_objects_come_from_the_rank_that_has_them(workspace):
    """The rank with the objects is started, and so are those it needs."""
    workspace.write("objects.py", OBJECTS)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 64, "--rank", 10, "--out", "out", "--", sys.executable, "objects.py")
    assert done.returncode == 0, done.stderr
    config = [{"shape": (3, 0)}, "of rank 0"]
    assert sorted(done.stdout.splitlines()) == sorted(
        [f"0 {config} [None]", f"10 {config} {[('from', 2)]}", f"2 {config} {['torch.Size([7, 7])', ('from', 2)]}".replace("'torch.Size([7, 7])'", "torch.Size([7, 7])")]
    )
    for rank in (0, 2):
        assert f"another rank waits for data from rank {rank}, so rank {rank} is run, too" in done.stderr


GATHERED = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group(sys.argv[1])
rank, world = dist.get_rank(), dist.get_world_size()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
pair = dist.new_group([rank - rank % 2, rank - rank % 2 + 1])
all_ranks, two, at_root, mine = [None] * world, [None] * 2, [None] * 2, [None]
dist.all_gather_object(all_ranks, {"rank": rank})
dist.all_gather_object(two, torch.Size([rank]), pair)
dist.gather_object(("from", rank), at_root if rank % 2 == 0 else None, rank - rank % 2, pair)
dist.scatter_object_list(mine, [f"for {each}" for each in range(world)] if rank == 1 else [None] * world, 1)
print(f"{rank} {len(all_ranks)} {all_ranks[-1]} {two} {at_root} {mine}\\n", end="", flush=True)
dist.destroy_process_group()
"""


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
def test_objects_that_all_ranks_gather(workspace, backend):
    """Gathered objects are this rank's own; scattered ones come from the rank that scatters."""
    workspace.write("gathered.py", GATHERED)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 64, "--rank", 4, "--out", "out", "--", sys.executable, "gathered.py", backend)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "1 64 {'rank': 1} [torch.Size([1]), torch.Size([1])] [None, None] ['for 1']",
        "4 64 {'rank': 4} [torch.Size([4]), torch.Size([4])] [('from', 4), ('from', 4)] ['for 4']",
    ]
    assert "another rank waits for data from rank 1, so rank 1 is run, too" in done.stderr


CHAIN = """
import os, torch.distributed as dist
dist.init_process_group("gloo")
rank, told = dist.get_rank(), ["the last one"]
if rank < 4:
    dist.recv_object_list(told, src=rank + 1)
if rank > 0:
    dist.send_object_list(told, dst=rank - 1)
print(f"{rank} {told[0]}\\n", end="", flush=True)
"""


def test_ranks_that_wait_keep_no_other_from_starting(workspace):
    """There are more ranks than cores, and each waits for the next."""
    workspace.write("chain.py", CHAIN)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 8, "--rank", "0,1,2,3,4", "--", sys.executable, "chain.py")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"{rank} the last one" for rank in range(5)]
    assert "is run, too" not in done.stderr


def test_ranks_that_all_do_the_same_have_one_representative(workspace):
    workspace.write("talk.py", TALK)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 512, "--ranks", "representative", "--", sys.executable, "talk.py")
    assert done.returncode == 0 and "it represents all of them" in done.stderr


ASKS = """
import os, sys, torch.distributed as dist
store = dist.TCPStore("head", 1, 8, False)
if os.environ["RANK"] == "0" and sys.argv[1] == "id":
    store.set("id", "x")
if os.environ["RANK"] == "3" or sys.argv[1] != "ends":
    print(store.get("id").decode())
"""


@pytest.mark.parametrize(("ranks", "how"), [("3", "waits"), ("3,0", "ends")])
def test_what_nobody_writes_is_named(workspace, ranks, how):
    """Rank 0, the usual owner, runs and waits for the same key, or has ended."""
    workspace.write("asks.py", ASKS)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 8, "--rank", ranks, "--", sys.executable, "asks.py", how)
    assert done.returncode == 1
    assert "waits for the key 'id' of the job's store, which only another rank writes; add that rank to --rank" in done.stderr


@pytest.mark.parametrize("ranks", ["3,0", "3"])
def test_ranks_that_run_together_read_what_the_others_write(workspace, ranks):
    workspace.write("asks.py", ASKS)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--world", 8, "--rank", ranks, "--", sys.executable, "asks.py", "id")
    assert ("another rank waits for data from rank 0, so rank 0 is run, too" in done.stderr) == (ranks == "3")
    assert done.returncode == 0 and done.stdout.replace("\n", "") == "xx"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rank", "1"), "--rank chooses ranks of a job; add --world N"),
        (("--world", "8"), "--world runs some ranks of a job on dry cards; add one, such as --dry h100-80gb"),
        (("--world", "8", "--dry", "t4", "--rank", "8"), "--rank 8: expected ranks from 0 to 7"),
        (("--world", "8", "--dry", "t4", "--rank", "0,x"), "found 'x'"),
        (("--world", "8", "--dry", "t4", "--plugins", "none"), "--world needs a recording"),
        (("--world", "8", "--dry", "t4", "--advise"), "--advise tries changes in one process"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_made(workspace, words, message):
    done = workspace.strata("exec", *words, "--out", "out", "--", "true")
    assert done.returncode == 125 and message in done.stderr
    assert not (workspace.folder / "out").exists()
    assert workspace.strata("exec", "--world", "0", "--", "true").returncode == 2


def test_a_signal_ends_the_ranks_and_their_store(workspace):
    workspace.write("waits.py", "import torch.distributed as dist, time, os\ndist.init_process_group('nccl')\nopen('ready' + os.environ['RANK'], 'w').close()\ntime.sleep(100)\n")
    words = [STRATA, "exec", "--dry", "h100-80gb", "--world", "8", "--rank", "0,5", "--out", "out", "--", sys.executable, "waits.py"]
    process = subprocess.Popen(words, cwd=workspace.folder, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 60
    while not all((workspace.folder / f"ready{rank}").exists() for rank in (0, 5)):
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert subprocess.run(["pgrep", "--parent", str(process.pid)], capture_output=True).stdout == b""
