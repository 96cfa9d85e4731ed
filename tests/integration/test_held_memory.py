# SPDX-License-Identifier: Apache-2.0
"""Memory that a program holds for reasons other than its forwards: the findings, and what freeing
it saves."""

import pytest
from held_programs import record  # noqa: F401

GROWS = {
    "copies of weights": """
for _ in range(10):
    train()
    if not lets_go: kept.append({name: value.clone() for name, value in model.state_dict().items()})
""",
    "copies of gradients": """
for _ in range(10):
    backward()
    if not lets_go: kept.append([each.grad.clone() for each in model.parameters()])
    optimizer.step()
    optimizer.zero_grad()
""",
    "gradients themselves": """
for _ in range(10):
    backward()
    if not lets_go: kept.append([each.grad for each in model.parameters()])
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
""",
    "an optimizer in each epoch": """
for _ in range(6):
    for _ in range(2): train()
    if not lets_go: kept.append(optimizer)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
""",
    "a replay buffer": """
for _ in range(12):
    if not lets_go: kept.append(torch.randn(512, 1024, device="cuda"))
    train()
""",
    "graphs of gradients": """
plain = torch.optim.SGD(model.parameters(), lr=1e-3)
for _ in range(10):
    loss = model(torch.randn(512, 1024, device="cuda")).square().mean()
    loss.backward(create_graph=True)
    plain.step()
    if lets_go: model.zero_grad(set_to_none=True)
    else:
        for each in model.parameters(): each.grad.zero_()
""",
}

IS_LEVEL = {
    "a training": "for _ in range(10): train()",
    "an average of weights": """
average = [each.detach().clone() for each in model.parameters()]
for _ in range(10):
    train()
    with torch.no_grad():
        for old, new in zip(average, model.parameters()): old.lerp_(new, 0.1)
""",
    "an average that is made anew": """
for _ in range(10):
    train()
    kept = [each.detach().clone() for each in model.parameters()]
""",
    "a queue of four copies": """
for _ in range(12):
    train()
    kept.append([each.detach().clone() for each in model.parameters()])
    kept = kept[-4:]
""",
    "gradients of four micro-batches": """
for _ in range(6):
    for _ in range(4): backward()
    optimizer.step()
    optimizer.zero_grad()
""",
}

ZEROED = """
x = torch.randn(8192, 1024, device="cuda")
for _ in range(4):
    optimizer.zero_grad(set_to_none=lets_go)
    model(x).square().mean().backward()
    optimizer.step()
"""
# The peak is at the start of backward, after the forward.
ZEROED_AFTER_FORWARD = """
x = torch.randn(8192, 1024, device="cuda")
for _ in range(4):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("name", GROWS)
def test_what_steps_leave_is_found(record, name):
    peak, shapes, findings, _ = record(GROWS[name])
    less, level, rest, _ = record(GROWS[name], "lets go")
    assert "Memory grows by" in shapes["growing_memory"]["sentence"]
    held = sum(findings[kind]["bytes"] for kind in ("step_growth", "kept_from_earlier") if kind in findings)
    assert "step_growth" in findings
    # Neither what the first step left, nor what would exist anyway.
    assert 0.6 * (peak - less) < held < 1.05 * (peak - less)
    assert "growing_memory" not in level and "step_growth" not in rest


@pytest.mark.parametrize("name", IS_LEVEL)
def test_what_is_replaced_does_not_grow(record, name):
    _, shapes, findings, _ = record(IS_LEVEL[name])
    assert "growing_memory" not in shapes
    assert not {"step_growth", "used_gradients", "bucket_copies", "failed_forward"} & set(findings)


def test_gradients_below_the_forward_are_found(record):
    peak, _, findings, _ = record(ZEROED)
    less, _, rest, _ = record(ZEROED, "lets go")
    assert findings["used_gradients"]["bytes"] == pytest.approx(peak - less, rel=0.05)
    assert "used_gradients" not in rest
    assert "used_gradients" not in record(ZEROED_AFTER_FORWARD)[2]


RETRY = """
def attempt(rows):
    wide = nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(1024, 1024), nn.Tanh())]).cuda()
    return wide(torch.randn(rows, 1024, device="cuda")).mean().backward()
try:
    attempt(262144)
except torch.OutOfMemoryError:
    if not lets_go: attempt(131072)
if lets_go: attempt(65536)
"""


def test_what_an_exception_holds_is_found(record):
    _, _, findings, _ = record(RETRY, memory="6GiB", fails=True)
    assert findings["failed_forward"]["bytes"] >= 4 << 30
    assert "except block" in findings["failed_forward"]["text"]
    _, _, rest, _ = record(RETRY, "lets go", memory="6GiB")
    assert "failed_forward" not in rest


UNTRAINED = """
for _ in range(3):
    x = model[1](model[0](torch.randn(512, 1024, device="cuda")))
    x = x + (model[2](x) if lets_go else model[2](x).detach())
    model[4](model[3](x)).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


# DeepSpeed does this once it gets the model.
MOVED = """
with torch.no_grad():
    model(torch.randn(512, 1024, device="cuda"))
flat = torch.cat([parameter.data.reshape(-1) for parameter in model.parameters()])
at = 0
for parameter in model.parameters():
    parameter.data = flat[at : at + parameter.numel()].view_as(parameter)
    at += parameter.numel()
for _ in range(3):
    model(torch.randn(512, 1024, device="cuda")).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_parameters_without_a_gradient_are_named(record):
    *_, told = record(UNTRAINED)
    assert "2 trainable parameters (4.004 MiB) have no gradient" in told
    *_, told = record(UNTRAINED, "lets go")
    assert "have no gradient" not in told
    for program in (IS_LEVEL["a training"], MOVED):
        *_, told = record(program)
        assert "have no gradient" not in told


COPIES = {
    "a checkpoint": """
import io
saved = io.BytesIO()
torch.save({"model": model.state_dict(), "epoch": 3}, saved)
saved.seek(0)
checkpoint = torch.load(saved, map_location="cpu" if lets_go else "cuda")
model.load_state_dict(checkpoint["model"])
for _ in range(4): train()
""",
    "the best weights": """
for step in range(8):
    train()
    if step == 2: best = {name: value.clone().to("cpu" if lets_go else "cuda") for name, value in model.state_dict().items()}
model.load_state_dict(best)
torch.save(best, "best.pt")
""",
    "weights to go back to": """
back = [each.detach().clone().to("cpu" if lets_go else "cuda") for each in model.parameters()]
for _ in range(6):
    train()
    with torch.no_grad():
        for old, new in zip(back, model.parameters()): old.copy_(new)
""",
}

IS_USED = {
    "weights that a loss compares with": """
start = [each.detach().clone() for each in model.parameters()]
for _ in range(4):
    loss = model(torch.randn(512, 1024, device="cuda")).square().mean()
    (loss + sum((new - old).square().sum() for old, new in zip(start, model.parameters()))).backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    "weights that gradients are corrected by": """
start = [each.detach().clone() for each in model.parameters()]
for _ in range(4):
    backward()
    with torch.no_grad():
        for old, new in zip(start, model.parameters()): new.grad.add_(new - old, alpha=0.1)
    optimizer.step()
    optimizer.zero_grad()
""",
    "weights in half precision": """
half = [each.detach().clone() for each in model.parameters()]
for _ in range(4):
    train()
    with torch.no_grad():
        for old, new in zip(half, model.parameters()): new.lerp_(old.to(torch.bfloat16).float(), 0.1)
""",
    "a target network": """
import copy
target = copy.deepcopy(model).requires_grad_(False)
for _ in range(4):
    x = torch.randn(512, 1024, device="cuda")
    (model(x) - target(x)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    target.load_state_dict(model.state_dict())
""",
    "zeros for an optimizer": """
velocity = [torch.zeros_like(each) for each in model.parameters()]
for _ in range(4): train()
""",
    "an average of weights that begins late": """
average = None
for step in range(6):
    train()
    if step == 2: average = [each.detach().clone() for each in model.parameters()]
    if step > 2:
        with torch.no_grad():
            for old, new in zip(average, model.parameters()): old.lerp_(new, 0.1)
""",
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_weights_that_nothing_uses_are_found(record, name):
    peak, _, findings, _ = record(COPIES[name])
    less, _, rest, _ = record(COPIES[name], "lets go")
    assert findings["weight_copies"]["bytes"] == pytest.approx(peak - less, rel=0.05)
    assert "map_location" in findings["weight_copies"]["text"]
    assert "weight_copies" not in rest


@pytest.mark.parametrize("name", [*IS_USED, "an average of weights"])
def test_copies_of_weights_that_are_used_are_no_finding(record, name):
    assert "weight_copies" not in record({**IS_LEVEL, **IS_USED}[name])[2]
