# SPDX-License-Identifier: Apache-2.0
"""`strata advise -- python train.py`: its answers, its exit codes, and the files it leaves.
test_advise_changes.py tests what each change does."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from workspaces import STRATA, Workspace

PROGRAM = """
import sys, threading, torch
from torch import nn
batch, extra = int(sys.argv[1]), sys.argv[2:]
if "threads" in extra:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("started", file=open("starts.txt", "a"))
model = nn.Sequential(*[part for _ in range(4) for part in (nn.Linear(256, 256), nn.ReLU())]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(100):
    model(torch.randn(batch, 256, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print("ended", file=open("starts.txt", "a"))
"""
# The program's first use of torch is a call that the changes are made in.
ACCELERATOR_FIRST = """
import accelerate
accelerator = accelerate.Accelerator()
import torch
model, data = torch.nn.Linear(64, 64), torch.utils.data.TensorDataset(torch.randn(512, 64))
loader = torch.utils.data.DataLoader(data, batch_size=64)
model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
for (x,) in loader:
    accelerator.backward(model(x).sum())
    optimizer.step()
    optimizer.zero_grad()
"""
LOADER_FIRST = """
import torch
loader = torch.utils.data.DataLoader([float(index) for index in range(1024)], batch_size=64)
model = torch.nn.Linear(1, 64).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for x in loader:
    model(x.float().cuda().unsqueeze(1)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
# No module, so that few changes are possible. Either the optimizer's temporaries need the most
# memory, or what is held from the start.
WITHOUT_MODEL = """
import sys, torch
held = torch.empty(int(sys.argv[1]) << 20, dtype=torch.uint8, device="cuda")
weight = torch.ones(1 << int(sys.argv[2]), requires_grad=True, device="cuda")
optimizer = torch.optim.Adam([weight], foreach=True)
for step in range(100):
    weight.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
LARGE = "524288"  # more than 4 GiB on a GPU
ADVISE = ["--device", "t4", "--json", "--", sys.executable, "train.py"]


@pytest.fixture
def program(workspace):
    workspace.write("train.py", PROGRAM)
    return workspace


def advise(workspace, *words, code, **environment):
    result = workspace.strata("advise", *words, **environment)
    assert result.returncode == code, result.stderr
    return result


def names(line):
    return [change["name"] for change in line["changes"]]


def numbers(advice):
    lines = [advice["base"], *advice["alone"], *advice["together"]]
    return {tuple(names(line)): (line["allocated_bytes"], line["reserved_bytes"], line["needed_bytes"]) for line in lines}


@pytest.fixture(scope="module")
def fits(tmp_path_factory):
    """A workspace with PROGRAM, the advice for it, and the messages about its trials."""
    workspace = Workspace(tmp_path_factory.mktemp("fits"))
    workspace.write("train.py", PROGRAM)
    result = advise(workspace, *ADVISE, "8192", code=0)
    return workspace, json.loads(result.stdout), result.stderr


def test_a_program_that_fits(fits):
    workspace, advice, said = fits
    assert advice["schema"] == "strata.advice/1" and advice["least"] is None
    assert advice["base"]["fits"] and advice["base"]["command"] == f"strata exec --dry t4 --device-memory 512GiB -- {sys.executable} train.py 8192"
    assert "strata: as it is: " in said and "strata: bf16 autocast: " in said
    starts = (workspace.folder / "starts.txt").read_text().split()
    assert set(starts) == {"started"}, "no trial goes on to the program's end"
    peak = workspace.strata("exec", "--dry", "t4", "--out", "run", "--", sys.executable, "train.py", "8192")
    assert peak.returncode == 0
    assert json.loads((workspace.folder / "run/summary.json").read_text())["peak"]["allocated_bytes"] == advice["base"]["allocated_bytes"]


def test_allocator_settings_are_those_of_the_environment(fits):
    workspace, advice, _ = fits
    line = next(line for line in advice["alone"] if names(line) == ["segments split below 128 MiB"])
    fitted = workspace.strata(
        "fit", "--device", "t4", "--over", "8192..8192", "--json", "--", sys.executable, "train.py", "{}", PYTORCH_CUDA_ALLOC_CONF="max_split_size_mb:128"
    )
    peak = json.loads(fitted.stdout)["peak"]
    assert (peak["allocated_bytes"], peak["reserved_bytes"]) == (line["allocated_bytes"], line["reserved_bytes"])


@pytest.mark.long
def test_trials_that_are_forked_and_trials_that_are_not_need_the_same(program):
    forked = json.loads(advise(program, *ADVISE, "8192", code=0).stdout)
    anew = json.loads(advise(program, *ADVISE, "8192", "threads", code=0).stdout)
    assert numbers(forked) == numbers(anew)
    assert forked["refused"] == anew["refused"]
    assert len(numbers(forked)) > 12


@pytest.mark.parametrize(
    ("text", "name", "write"),
    [
        (ACCELERATOR_FIRST, "bf16 autocast", 'Accelerator(mixed_precision="bf16")'),
        (LOADER_FIRST, "half the batch, accumulated", "batches of 32 in place of 64; loss = loss / 2, and step and zero_grad after each 2"),
    ],
)
def test_a_call_that_is_the_first_use_of_torch_is_changed(workspace, text, name, write):
    workspace.write("train.py", text)
    advice = json.loads(advise(workspace, *ADVISE, code=0).stdout)
    assert {each["changes"][0]["name"]: each["changes"][0]["write"] for each in advice["alone"]}.get(name) == write, advice["refused"]


def test_a_program_that_no_change_makes_fit(workspace):
    workspace.write("train.py", WITHOUT_MODEL)
    advice = json.loads(advise(workspace, "--device-memory", "2GiB", *ADVISE, "2048", "3", code=4).stdout)
    assert not advice["base"]["fits"] and advice["least"] is None


def test_the_table_says_what_to_write(program):
    text = advise(program, "--device", "t4", "--device-memory", "2GiB", "--jobs", "1", "--", sys.executable, "train.py", LARGE, code=3).stdout
    assert "\n* a quarter of it, accumulated" in text
    assert "\n    batches of 131072 in place of 524288; " in text
    assert "Not tried, or without effect\n" in text and "a foreach optimizer: the optimizer already is one" in text
    assert "\nSmallest change that makes it fit: " in text


def test_behind_the_report_of_exec(workspace):
    workspace.write("train.py", WITHOUT_MODEL)
    result = workspace.strata("exec", "--dry", "t4", "--device-memory", "2816MiB", "--advise", "--", sys.executable, "train.py", "1", "27")
    assert "as it is" in result.stderr, result.stderr
    assert result.returncode == 1, "the program's own"
    least = "\nSmallest change that makes it fit: a fused optimizer\n  torch.optim.Adam(..., fused=True)\n"
    assert "Out of memory" in result.stderr and result.stderr.index("Out of memory") < result.stderr.index(least)
    result = workspace.strata("exec", "--advise", "--", sys.executable, "-c", "pass")
    assert result.returncode == 125 and "exec: --advise tries changes on a dry card; add one, such as --dry rtx-4090" in result.stderr


@pytest.mark.long
def test_ranks_of_torchrun(workspace):
    workspace.write(
        "ranks.py",
        "import os, torch, torch.distributed as dist\n"
        "dist.init_process_group('nccl')\n"
        "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"
        "model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2048, 2048, device='cuda'))\n"
        "optimizer = torch.optim.SGD(model.parameters())\n"
        "for step in range(100):\n"
        "    model(torch.randn(64, 2048, device='cuda')).sum().backward()\n"
        "    optimizer.step()\n"
        "    optimizer.zero_grad()\n",
    )
    words = ["--device", "t4:2", "--json", "--", sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "ranks.py"]
    advice = json.loads(advise(workspace, *words, code=0).stdout)
    view = next(line for line in advice["alone"] if names(line) == ["gradients as bucket views"])
    assert view["changes"][0]["write"] == "DistributedDataParallel(..., gradient_as_bucket_view=True)"


def test_what_cannot_be_changed_from_outside_is_told(program):
    result = advise(program, "--device", "t4", "--", sys.executable, "-E", "train.py", "16", code=2)
    assert "only Python programs that use torch can be changed" in result.stderr
    result = advise(program, "--device", "t4", "--", sys.executable, "train.py", code=1)
    assert "IndexError" in result.stderr and "in the trial: strata exec --dry t4" in result.stderr
    result = advise(program, "--device", "t4", "--", "no-such-program", code=2)
    assert "no program 'no-such-program'" in result.stderr
    result = advise(program, "--", sys.executable, "train.py", "16", code=2)
    assert "expected a card, such as --device rtx-4090" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_processes(program, number):
    command = [STRATA, "advise", *ADVISE, "8192"]
    running = subprocess.Popen(
        command, cwd=program.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True
    )
    assert "as it is" in running.stderr.readline()
    assert running.stderr.readline(), "trials run side by side"
    os.killpg(running.pid, number)
    assert running.wait(timeout=60) == 128 + number
    deadline = time.monotonic() + 30
    while any(_is_of_group(process, running.pid) for process in os.listdir("/proc") if process.isdigit()):
        assert time.monotonic() < deadline, "a process goes on"
        time.sleep(0.1)


def _is_of_group(process, group):
    try:
        return os.getpgid(int(process)) == group
    except ProcessLookupError:
        return False
