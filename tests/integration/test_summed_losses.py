# SPDX-License-Identifier: Apache-2.0
"""Forwards whose losses are added before one backward: their activations exist at the same time."""

import pytest
from held_programs import record  # noqa: F401

SUMS = {
    "a sum in a loop": """
for _ in range(3):
    total = 0
    for _ in range(6):
        out = model(torch.randn(4096, 1024, device="cuda"))
        loss = out.square().mean()
        if lets_go: loss.backward()
        else: total = total + loss / 6
    if not lets_go: total.backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "a mean of a stack": """
for _ in range(3):
    losses = []
    for _ in range(4):
        losses.append(nn.functional.cross_entropy(model(torch.randn(4096, 1024, device="cuda")), torch.zeros(4096, dtype=torch.long, device="cuda")))
        if lets_go: losses.pop().backward()
    if not lets_go: torch.stack(losses).mean().backward()
    del losses
    optimizer.step()
    optimizer.zero_grad()
""",
    "two batches, with autocast": """
for _ in range(3):
    total = 0
    for _ in range(2):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(torch.randn(8192, 1024, device="cuda")).float().square().mean()
        if lets_go: loss.backward()
        else: total += loss
    if not lets_go: total.backward()
    optimizer.step()
    optimizer.zero_grad()
""",
}

IS_ONE_GRAPH = {
    "two views that a loss compares": """
for _ in range(3):
    one, other = (model(torch.randn(4096, 1024, device="cuda")) for _ in range(2))
    (one - other).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "a preference between sums": """
for _ in range(3):
    chosen, rejected = (model(torch.randn(4, 1024, 1024, device="cuda")).sum((1, 2)) for _ in range(2))
    (-nn.functional.logsigmoid(chosen - rejected)).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "a state that goes from turn to turn": """
cell = nn.GRUCell(64, 1024).cuda()
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
for _ in range(3):
    state, total = torch.zeros(1024, 1024, device="cuda"), 0
    for _ in range(6):
        state = cell(torch.randn(1024, 64, device="cuda"), state)
        total = total + state.square().mean()
    total.backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "several heads on one trunk": """
heads = nn.ModuleList(nn.Linear(64, 1024) for _ in range(4)).cuda()
for _ in range(3):
    x = model(torch.randn(4096, 1024, device="cuda"))
    sum(head(x).square().mean() for head in heads).backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "a layer that is used again and again": """
layer = nn.Linear(1024, 1024).cuda()
for _ in range(3):
    x = torch.randn(4096, 1024, device="cuda")
    for _ in range(6): x = torch.tanh(layer(x))
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "a training": "for _ in range(4): train(4096)",
}


@pytest.mark.parametrize("name", SUMS)
def test_forwards_summed_before_one_backward_are_found(record, name):
    peak, _, findings, _ = record(SUMS[name])
    less, _, rest, _ = record(SUMS[name], "lets go")
    # Without the memory that a forward allocates and frees at the peak.
    assert 0.6 * (peak - less) < findings["summed_losses"]["bytes"] < 1.1 * (peak - less)
    assert "backward after each forward" in findings["summed_losses"]["text"]
    assert "summed_losses" not in rest


@pytest.mark.parametrize("name", IS_ONE_GRAPH)
def test_forwards_that_one_loss_needs_together_are_no_sum(record, name):
    assert "summed_losses" not in record(IS_ONE_GRAPH[name])[2]
