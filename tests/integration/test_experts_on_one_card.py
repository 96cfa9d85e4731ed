# SPDX-License-Identifier: Apache-2.0
"""A router of experts in a program that is no job: from the first size that was unknown on, the dry card assumes that it chooses evenly."""

import json
import sys

import pytest

ROUTER = """
import json, sys, torch
torch.set_default_device("cuda")
experts = 16
router = torch.nn.Linear(64, experts, bias=False)
optimizer = torch.optim.SGD(router.parameters(), lr=0.1)
found = []
for _ in range(3):
    weights, chosen = torch.topk(router(torch.randn(1000, 64)).softmax(dim=1), k=2, dim=1)
    if sys.argv[1] == "sizes":
        found.append([len(torch.where(chosen == expert)[0]) for expert in range(experts)])
    else:
        found.append(torch.bincount(chosen.view(-1), minlength=experts).tolist())
    weights.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
print(json.dumps(found))
"""


@pytest.fixture
def run(workspace):
    workspace.write("router.py", ROUTER)

    def run(what):
        done = workspace.strata("exec", "--dry", "h100-80gb", "--", sys.executable, "router.py", what)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[0]), done.stderr

    return run


def test_sizes_are_even_from_the_second_step_on(run):
    sizes, messages = run("sizes")
    assert sizes == [[0] * 16, [125] * 16, [125] * 16]
    assert "values counted by aten::nonzero are unknown on a dry card: each value is assumed to occur equally often" in messages


def test_a_program_whose_sizes_depend_on_no_value_is_left_alone(run):
    counts, messages = run("counts")
    assert "assumed to occur equally often" not in messages and not any(map(any, counts))
