# SPDX-License-Identifier: Apache-2.0
"""Routers that mark the tokens of each expert in a mask: how many ones a mask has is known on a dry card, where they are is not."""

import json
import sys

import pytest

# 16 experts on 8 ranks; each of 1,000 tokens goes to two. The mask is made and used as Megatron Core does, then as transformers does.
ROUTER = """
import json, os, torch, torch.distributed as dist
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
world, experts, width = dist.get_world_size(), 16, 64
torch.set_default_device("cuda")
tokens = torch.randn(1000, width)
logits = torch.nn.Linear(width, experts, bias=False)(tokens)
weights, chosen = torch.topk(logits.softmax(dim=1), k=2, dim=1)
routing = torch.zeros_like(logits).int().scatter(1, chosen, 1).bool()
counts = routing.sum(dim=0).long()
found = {"counts": counts.tolist(), "sent": counts.view(world, -1).sum(dim=1).tolist(), "all": routing.sum().item()}
places = torch.arange(1000).unsqueeze(0).expand(experts, -1).masked_select(routing.bool().T.contiguous())
found["places"] = list(places.shape)
gathered = torch.empty(8 * 1000, experts, dtype=torch.bool)
dist.all_gather_into_tensor(gathered, routing)
found["gathered"] = gathered.sum(dim=0).tolist()
hot = torch.nn.functional.one_hot(chosen, num_classes=experts).permute(2, 1, 0)
found["hot"] = [list(each.shape) for each in torch.where(hot[3])]
found["hit"] = torch.greater(hot.sum(dim=(-1, -2)), 0).nonzero().flatten().tolist()
found["compared"] = [len((chosen.view(-1) == 3).nonzero()), len(torch.where(logits.argmax(dim=1) == 5)[0]), (chosen == 9).sum().item(), (chosen == -1).sum().item()]
found["flags"] = torch.ne(torch.zeros(100, 10).scatter_(1, torch.randint(10, (100, 1)), 1.0), 0).nonzero().shape
probabilities = torch.zeros_like(logits).scatter(1, chosen, weights)  # its values are no ones
found["probabilities"] = probabilities.sum(dim=0).tolist()
routing.logical_and_(tokens[:, :1] > 0)  # which are left is unknown
found["changed"] = routing.sum(dim=0).tolist(), list(routing.nonzero().shape)
plain = tokens > 0
found["equal"] = len((tokens == 3).nonzero())
found["plain"] = plain.sum(dim=0)[:2].tolist(), list(plain.nonzero().shape)
print(json.dumps(found))
dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    from workspaces import Workspace

    workspace = Workspace(tmp_path_factory.mktemp("masks"))
    workspace.write("router.py", ROUTER)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--world", 8, "--", sys.executable, "router.py")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"messages": done.stderr}


def test_each_expert_gets_as_many_tokens(found):
    assert found["counts"] == [125] * 16 and found["sent"] == [250] * 8 and found["all"] == 2000
    assert "each value is assumed to occur equally often" in found["messages"]


def test_tokens_chosen_by_a_mask_have_their_number(found):
    assert found["places"] == [2000]
    assert found["flags"] == [100, 2]


def test_a_part_of_a_mask_has_its_share(found):
    assert found["hot"] == [[125], [125]]


def test_experts_that_have_tokens_are_all(found):
    """As transformers asks, before it goes through the experts."""
    assert found["hit"] == list(range(16))


def test_choices_are_even(found):
    """A router may compare them with each expert. Of 2,000 choices and of 1,000 of the largest, each of 16 has its part; -1 is none of them."""
    assert found["compared"] == [125, 63, 125, 0]


def test_a_mask_gathered_from_all_ranks_is_one(found):
    assert found["gathered"] == [1000] * 16


def test_other_values_stay_unknown(found):
    assert found["probabilities"] == [0.0] * 16
    assert found["changed"] == [[0] * 16, [0, 2]]
    assert found["equal"] == 0
    assert found["plain"] == [[0, 0], [0, 2]]
