# SPDX-License-Identifier: Apache-2.0
"""`strata fit --world`: the largest batch of a job's ranks, and the fewest ranks, compared with
whole runs."""

import json
import sys

import pytest

# Two stages of different widths, and a model that all ranks shard.
PROGRAM = """
import argparse, os, torch, torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--wider", type=int, default=0, help="rank 1's share of tokens is larger by this")
settings = parser.parse_args()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
torch.set_default_device("cuda")
model = nn.Sequential(*[nn.Linear(4096, 4096) for _ in range(32)])
for layer in model:
    fully_shard(layer)
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters())
for step in range(4):
    tokens = settings.batch * (1 + settings.wider * (dist.get_rank() == 1))
    model(torch.randn(tokens, 4096)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
"""
TORCHRUN = ["--", sys.executable, "-m", "torch.distributed.run", "--nnodes", "8", "--nproc-per-node", "8", "train.py"]


@pytest.fixture
def job(workspace):
    workspace.write("train.py", PROGRAM)
    return workspace


def fit(workspace, *words):
    done = workspace.strata("fit", "--device", "t4", *words)
    assert done.returncode == 0, done.stderr
    return done


def ends(workspace, *words):
    """Whether a rank of the whole job, without fit, completes."""
    done = workspace.strata("exec", "--dry", "t4", *words)
    assert done.returncode == 0 or "OutOfMemoryError" in done.stderr, done.stderr
    return done.returncode == 0


def test_a_trial_is_a_rank_of_the_job(job):
    found = json.loads(fit(job, "--world", 64, "--over", "8..8", "--json", *TORCHRUN, "--batch", "{}").stdout)
    assert found["largest"] == 8 and found["next"] is None and found["peak"]["rank"] == 0
    whole = 32 * 4096 * 4097 * 4
    assert found["peak"]["categories"]["Optimizer_State"] < whole / 16, "a share of 64"


@pytest.mark.long
def test_the_largest_batch_of_a_rank(job):
    found = json.loads(fit(job, "--world", 64, "--step", 4096, "--json", *TORCHRUN, "--batch", "{}").stdout)
    largest = found["largest"]
    assert found["next"] == largest + 4096 and found["peak"]["rank"] == found["failure"]["rank"] == 0
    assert found["command"].startswith("strata exec --dry t4:8 --world 64 -- ") and found["command"].endswith(f"--batch {largest}")
    assert ends(job, "--world", 64, *TORCHRUN, "--batch", largest)
    assert not ends(job, "--world", 64, *TORCHRUN, "--batch", largest + 4096)


@pytest.mark.long
def test_the_fewest_ranks(job):
    """Parameters, gradients and state need 8 GiB together, and each rank has 4 GiB."""
    words = ["--device-memory", "4GiB", "--world", "1..64"]
    found = json.loads(fit(job, *words, "--json", *TORCHRUN).stdout)
    fewest = found["fewest"]
    assert 1 < fewest < 64 and found["next"] * 2 == fewest and found["key"] == "world"
    assert {trial["value"] for trial in found["tried"]} <= {1, 2, 4, 8, 16, 32, 64}
    small = ["--device-memory", "4GiB"]
    assert ends(job, *small, "--world", fewest, *TORCHRUN) and not ends(job, *small, "--world", fewest // 2, *TORCHRUN)
    said = fit(job, *words, *TORCHRUN).stdout
    assert f"fewest that fit        {fewest}" in said and f"{fewest // 2} does not:" in said and "on rank 0" in said


@pytest.mark.long
def test_the_rank_that_needs_most_decides(job):
    words = ["--world", 8, "--rank", "0,1", "--step", 4096, "--json", *TORCHRUN, "--wider", 3, "--batch", "{}"]
    found = json.loads(fit(job, *words).stdout)
    assert found["peak"]["rank"] == found["failure"]["rank"] == 1
    assert "--world 8 --ranks 0,1 -- " in found["command"]


@pytest.mark.parametrize(
    "words, reason",
    [
        (["--rank", "3"], "--rank chooses ranks of a job; add --world N"),
        (["--world", "8..4"], "such as 1..512, the lowest first"),
        (["--world", "many"], "expected the values to try, such as 1..512"),
        (["--world", "8", "--rank", "8"], "--rank 8: expected ranks from 0 to 7"),
        (["--world", "8..64", "--over", "1..9"], "remove --over"),
        (["--world", "9..15", "--step", "8"], "no multiple of --step 8"),
    ],
)
def test_refusals(job, words, reason):
    done = job.strata("fit", "--device", "t4", *words, "--", sys.executable, "train.py", "--batch", "{}")
    assert done.returncode == 2 and reason in done.stderr, done.stderr


def test_a_configuration_has_its_own_ranks(workspace):
    workspace.write("run.yaml", "{}\n")
    done = workspace.strata("fit", "run.yaml", "--device", "t4", "--world", "8")
    assert done.returncode == 2 and "a configuration has world_size" in done.stderr, done.stderr
