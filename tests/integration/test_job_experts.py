# SPDX-License-Identifier: Apache-2.0
"""Experts on several ranks of a job: a dry card computes token counts, and these determine the
sizes that ranks exchange."""

import json
import sys

import pytest

# 16 experts on 8 ranks; each of 1,000 tokens goes to two. Tokens are counted and exchanged as
# torchtitan does it.
EXPERTS = """
import ctypes, json, os, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
rank, world, experts, width = dist.get_rank(), dist.get_world_size(), 16, 64
torch.set_default_device("cuda")
tokens = torch.randn(1000, width)
gate = torch.nn.Linear(width, experts, bias=False)
_, chosen = torch.topk(gate(tokens).softmax(dim=1), k=2, dim=1)
counts = torch.histc(chosen.view(-1), bins=experts, min=0, max=experts)
told = {"counted": counts.tolist(), "also": torch.bincount(chosen.view(-1), minlength=experts).tolist()}
theirs = torch.empty_like(counts)
dist.all_to_all_single(theirs, counts)
(tokens @ tokens.T).sum()  # other work in between
sent = counts.view(world, -1).sum(dim=1).to("cpu", non_blocking=True)
received = theirs.view(world, -1).sum(dim=1).to(torch.int32).to("cpu")
told["sent"], told["received"] = sent.tolist(), received.tolist()
offsets = theirs.view(world, -1).sum(dim=0).cumsum(0)
told["offsets"] = offsets.tolist()
rows = theirs.view(2, world).transpose(0, 1)[2:6]  # a view with gaps
told["rows"] = [rows.contiguous().view(-1).tolist(), rows.sum(dim=1).tolist(), theirs.view(world, -1)[:, 1:].contiguous().sum().item()]
told["flags"] = (counts > 10).all().item(), (counts.sum() == 2000).item()
before = torch.cuda.memory_allocated()
mine = torch.empty(sum(told["received"]), width)
dist.all_to_all_single(mine, tokens.repeat(2, 1), told["received"], told["sent"])
told["bytes"] = torch.cuda.memory_allocated() - before
known = ctypes.CDLL("libstrata_dry_gpu.so").strata_dry_gpu_read_known
fresh = torch.empty_like(counts)
told["fresh"] = known(ctypes.c_void_p(fresh.data_ptr()), ctypes.c_size_t(fresh.nbytes), ctypes.create_string_buffer(fresh.nbytes))
told["weighed"] = torch.bincount(chosen.view(-1), weights=tokens.view(-1)[:2000], minlength=experts).tolist()
noise = torch.randint(100, (4,))  # random numbers stay unknown
told["noise"] = (noise + 1).tolist()
told["powers"] = torch.ones(3).exp().tolist()  # and so do numbers whose rounding a card decides
print(json.dumps(told))
dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    from workspaces import Workspace

    workspace = Workspace(tmp_path_factory.mktemp("experts"))
    workspace.write("experts.py", EXPERTS)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--world", 8, "--", sys.executable, "experts.py")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"said": done.stderr}


def test_unknown_choices_are_even(told):
    assert told["counted"] == told["also"] == [125] * 16
    assert "each value is assumed to occur equally often" in told["said"]


def test_sizes_of_what_is_exchanged_follow(told):
    assert told["sent"] == told["received"] == [250] * 8
    assert told["rows"] == [[125] * 8, [250] * 4, 1000]
    assert told["offsets"] == [1000, 2000] and told["flags"] == [True, True]
    assert told["bytes"] == 2000 * 64 * 4 // 512 * 512


def test_other_values_stay_unknown(told):
    assert told["fresh"] == 0 and told["weighed"] == [0.0] * 16
    assert told["noise"] == [0] * 4 and told["powers"] == [0.0] * 3
