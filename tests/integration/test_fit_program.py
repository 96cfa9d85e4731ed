# SPDX-License-Identifier: Apache-2.0
"""`strata fit -- python train.py {}`: the answers for the user's own programs, compared with whole
runs."""

import json
import os
import sys

import pytest

# Prints a line at each step and at its end.
PROGRAM = """
import argparse, torch
from torch import nn
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int)
size = parser.parse_args().batch_size
model = nn.Sequential(*[part for _ in range(4) for part in (nn.Linear(1024, 1024), nn.ReLU())]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(6):
    model(torch.randn(size, 1024, device="cuda")).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    print("step", step, file=open("steps.txt", "a"))
print("ended", file=open("steps.txt", "a"))
"""
STEP = 16384  # keeps the number of trials small


@pytest.fixture
def program(workspace):
    workspace.write("train.py", PROGRAM)
    return workspace


def fit(workspace, *words, code=0, **environment):
    result = workspace.strata("fit", *words, **environment)
    assert result.returncode == code, result.stderr
    return result


def ends_on(workspace, card, *words):
    """Whether the whole program, without fit, completes."""
    result = workspace.strata("exec", "--plugins", "none", "--dry", card, "--", sys.executable, *words)
    assert result.returncode == 0 or "OutOfMemoryError" in result.stderr, result.stderr
    return result.returncode == 0


def test_the_largest_fits_and_one_more_does_not(program):
    words = ["--device", "t4", "--step", str(STEP), "--json", "--", sys.executable, "train.py", "--batch-size", "{}"]
    found = json.loads(fit(program, *words).stdout)
    largest = found["largest"]
    assert (found["key"], found["next"]) == ("batch-size", largest + STEP)
    said = (program.folder / "steps.txt").read_text()
    assert "step 0" in said and "step 1" not in said and "ended" not in said, "each trial ends within the second step"
    assert ends_on(program, "t4", "train.py", "--batch-size", str(largest))
    assert not ends_on(program, "t4", "train.py", "--batch-size", str(largest + STEP))
    assert found["command"] == f"strata exec --dry t4 -- {sys.executable} train.py --batch-size {largest}"
    assert found["peak"]["categories"]["Activation"] > found["peak"]["categories"]["Optimizer_State"] > 0
    assert found["failure"]["op"] and found["failure"]["phase"]


@pytest.mark.long
def test_over_steps_and_several_cards(program):
    words = ["--", sys.executable, "train.py", "--batch-size={}"]
    table = fit(program, "--devices", "t4,a10", "--over", "8..64", "--steps", "3", *words)
    assert "step 1" in (program.folder / "steps.txt").read_text()
    assert "step 2" not in (program.folder / "steps.txt").read_text()
    assert [line.split()[-3] for line in table.stdout.splitlines()[3:]] == ["64", "64"] and table.stdout.count(">=") == 2
    assert {line.split("batch-size=")[1].split()[0] for line in table.stderr.splitlines()} >= {"8", "64"}
    less = json.loads(fit(program, "--device", "t4", "--device-memory", "2GiB", "--over", "8..8", "--json", *words).stdout)
    assert less["memory_bytes"] == 2 << 30 and "--dry t4 --device-memory 2GiB -- " in less["command"]
    one = json.loads(fit(program, "--device", "t4", "--from", "10", "--at-most", "100", "--step", "8", "--json", *words).stdout)
    assert one["largest"] == 96 and all(trial["value"] % 8 == 0 for trial in one["tried"])


def test_every_optimizer_steps_as_often(workspace):
    workspace.write(
        "two.py",
        "import sys, torch\n"
        "def made(width):\n"
        "    model = torch.nn.Linear(width, width, device='cuda')\n"
        "    return model, torch.optim.Adam(model.parameters())\n"
        "often, rare = made(256), made(4096)\n"
        "unused = torch.optim.SGD([torch.zeros(1, requires_grad=True)]) if sys.argv[2] == 'unused' else None\n"
        "for step in range(1000):\n"
        "    for model, optimizer in [often] + ([rare] if step % 3 == 2 else []):\n"
        "        model(torch.ones(int(sys.argv[1]), model.in_features, device='cuda')).sum().backward()\n"
        "        optimizer.step()\n"
        "        optimizer.zero_grad()\n"
        "    print(step, file=open(sys.argv[2], 'a'))\n",
    )
    found = json.loads(fit(workspace, "--device", "t4", "--over", "1..1", "--json", "--", sys.executable, "two.py", "{}", "all").stdout)
    assert found["peak"]["categories"]["Optimizer_State"] >= 2 * 4 * 4096 * 4096, "the one that steps seldom did"
    assert len((workspace.folder / "all").read_text().split()) == 5, "ended in its second step, the sixth of the other"
    fit(workspace, "--device", "t4", "--over", "1..1", "--", sys.executable, "two.py", "{}", "unused")
    assert 5 < len((workspace.folder / "unused").read_text().split()) < 100, "one that never steps is not waited for"


def test_ranks_of_torchrun(workspace):
    workspace.write(
        "ranks.py",
        "import os, sys, torch, torch.distributed as dist\n"
        "dist.init_process_group('nccl')\n"
        "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"
        "width = 256 if dist.get_rank() == 0 else 2048\n"
        "model = torch.nn.Linear(width, width, device='cuda')\n"
        "optimizer = torch.optim.SGD(model.parameters())\n"
        "for step in range(1000):\n"
        "    model(torch.randn(int(sys.argv[1]), width, device='cuda')).sum().backward()\n"
        "    optimizer.step()\n",
    )
    words = ["--", sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "ranks.py", "{}"]
    found = json.loads(fit(workspace, "--device", "t4:2", "--over", "1024..1024", "--json", *words).stdout)
    assert found["peak"]["allocated_bytes"] >= 4 * 1024 * 2048, "of the rank that needs most"
    assert found["command"].startswith("strata exec --dry t4:2 -- ")


def test_a_program_that_does_not_look_at_pythonpath_runs_to_its_end(program):
    fit(program, "--device", "t4", "--over", "16..16", "--", sys.executable, "-E", "train.py", "--batch-size", "{}")
    assert "ended" in (program.folder / "steps.txt").read_text()


def test_the_programs_own_start_of_python_goes_on(program):
    (program.folder / "own").mkdir()
    program.write("own/sitecustomize.py", "print('mine', file=open('mine.txt', 'w'))\n")
    program.write("paths.py", "import sys\nassert not [p for p in sys.path if 'at_start' in p], sys.path\nimport runpy, importlib.util\nassert importlib.util.find_spec('torch')\nrunpy.run_path('train.py', run_name='__main__')\n")
    words = ["--device", "t4", "--over", "16..16", "--", sys.executable, "paths.py", "--batch-size", "{}"]
    fit(program, *words, PYTHONPATH=str(program.folder / "own"))
    assert (program.folder / "mine.txt").read_text() == "mine\n"
    assert "ended" not in (program.folder / "steps.txt").read_text()


def test_memory_that_runs_out_and_is_caught_does_not_fit(workspace):
    workspace.write(
        "catches.py",
        "import sys, torch\n"
        "try:\n    torch.empty(int(sys.argv[1]) << 30, dtype=torch.uint8, device='cuda')\n"
        "except torch.OutOfMemoryError:\n    torch.empty(1 << 20, device='cuda')\n",
    )
    found = json.loads(fit(workspace, "--device", "t4", "--json", "--", sys.executable, "catches.py", "{}").stdout)
    assert (found["key"], found["largest"], found["next"]) == ("value", 14, 15)


REFUSED = {
    "no braces": (["--device", "t4", "--", sys.executable, "train.py"], 2, "expected {} in the program's arguments"),
    "no card": (["--", sys.executable, "train.py", "{}"], 2, "expected a card"),
    "no such card": (["--device", "t5", "--", sys.executable, "train.py", "{}"], 2, "unknown device 't5'"),
    "a key": (["--device", "t4", "--over", "data.batch_size", "--", sys.executable, "{}"], 2, "such as 1..512"),
    "backwards": (["--device", "t4", "--over", "9..3", "--", sys.executable, "{}"], 2, "such as 1..512"),
    "no program": (["--device", "t4", "--", "pyhton", "{}"], 2, "no program 'pyhton'"),
    "another failure": (["--device", "t4", "--", sys.executable, "train.py", "--batch-sice", "{}"], 1, "unrecognized arguments: --batch-sice 1"),
    "no memory": (["--device", "t4", "--", sys.executable, "-c", "print({})"], 1, "the program used no memory of the card"),
    "no --": (["--device", "t4", sys.executable, "train.py", "{}"], 2, "-- python train.py"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_answered_is_said(program, tmp_path_factory, name):
    words, code, said = REFUSED[name]
    scratch = tmp_path_factory.mktemp("scratch")
    before = program.names()
    result = fit(program, *words, code=code, TMPDIR=str(scratch))
    assert said in result.stderr and result.stdout == ""
    assert program.names() == before and not os.listdir(scratch)


def test_nothing_is_left_behind(program, tmp_path_factory):
    scratch = tmp_path_factory.mktemp("scratch")
    fit(program, "--device", "t4", "--over", "16..16", "--", sys.executable, "train.py", "--batch-size", "{}", TMPDIR=str(scratch))
    assert set(program.names()) == {"train.py", "steps.txt"}
    assert not [name for name in os.listdir(scratch) if "strata" in name], "torch leaves a folder of its own"
