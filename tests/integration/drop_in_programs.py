# SPDX-License-Identifier: Apache-2.0
"""Ordinary programs for `strata exec`: none uses Strata. Each prints every step's loss and the
device memory that torch counted."""

BEGIN = """
import sys, torch
torch.manual_seed(0)
device = sys.argv[1]
def network():
    return torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10))
def batches(count, **options):
    data = torch.utils.data.TensorDataset(torch.randn(32 * count, 64), torch.randint(0, 10, (32 * count,)))
    for batch, target in torch.utils.data.DataLoader(data, batch_size=32, **options):
        yield batch.to(device), target.to(device)
entropy = torch.nn.functional.cross_entropy
"""

END = """
if device != "cpu":
    print(torch.cuda.max_memory_allocated())
"""

STEP = """
    loss = entropy(model(batch), target)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.9f}")
"""

LOOP = (
    BEGIN
    + """
model = network().to(device)
optimizer = torch.optim.AdamW(model.parameters())
for batch, target in batches(5):
    optimizer.zero_grad()
"""
    + STEP
    + END
)

# There is no data loader, so no failed look for a batch ends the last step: the process's end does.
ENDS_AFTER_STEP = (
    BEGIN
    + """
model = network().to(device)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(4):
    batch, target = torch.randn(32, 64).to(device), torch.randint(0, 10, (32,)).to(device)
    optimizer.zero_grad()
"""
    + STEP
    + END
)

WORKERS = LOOP.replace("batches(5)", "batches(5, num_workers=2)")

# Keeping a detached loss for the log starts no forward of another micro-batch.
ACCUMULATED = (
    BEGIN
    + """
model = network().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for index, (batch, target) in enumerate(batches(6)):
    loss = entropy(model(batch), target) / 2
    loss.backward()
    loss = loss.detach()
    print(f"{loss.item():.9f}")
    if index % 2:
        optimizer.step()
        optimizer.zero_grad()
"""
    + END
)

# Clipping writes to gradients, and a fused optimizer declares that it does: they are not state.
CLIPPED = (
    BEGIN
    + """
model = network().to(device)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
for index, (batch, target) in enumerate(batches(6)):
    loss = entropy(model(batch), target) / 2
    loss.backward()
    print(f"{loss.item():.9f}")
    if index % 2:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        optimizer.step()
        model.zero_grad()
"""
    + END
)

CHECKPOINTED = (
    BEGIN
    + """
from torch.utils.checkpoint import checkpoint
model = torch.nn.Sequential(torch.nn.Linear(64, 256), *[network_of_two for network_of_two in
    (torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.GELU()) for _ in range(3))], torch.nn.Linear(256, 10)).to(device)
def forward(values):
    for layer in model:
        values = checkpoint(layer, values, use_reentrant=False)
    return values
optimizer = torch.optim.AdamW(model.parameters(), fused=device != "cpu")
for batch, target in batches(4):
    optimizer.zero_grad()
    loss = entropy(forward(batch), target)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.9f}")
"""
    + END
)

CLOSURE = (
    BEGIN
    + """
model = network().to(device)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
for batch, target in batches(3):
    def closure():
        optimizer.zero_grad()
        loss = entropy(model(batch), target)
        loss.backward()
        return loss
    print(f"{optimizer.step(closure).item():.9f}")
"""
    + END
)

# PyTorch does not know this optimizer, so nothing in it has a name.
BY_HAND = (
    BEGIN
    + """
model = network().to(device)
momentum = {}
for batch, target in batches(5):
    loss = entropy(model(batch), target)
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            kept = momentum.setdefault(parameter, torch.zeros_like(parameter))
            kept.mul_(0.9).add_(parameter.grad)
            parameter.sub_(kept, alpha=0.1)
            parameter.grad = None
    print(f"{loss.item():.9f}")
"""
    + END
)

# The first layer stays out: its input needs no gradient, and reentrant checkpointing would then
# give none to the layers after it.
REENTRANT = CHECKPOINTED.replace("use_reentrant=False", "use_reentrant=True").replace(
    "    for layer in model:\n", "    values = model[0](values)\n    for layer in model[1:]:\n"
)

# Not in the list of all programs: tensors that a graph of gradients keeps from one backward to the
# next have no name.
penalty = (
    BEGIN
    + """
model = network().to(device)
optimizer = torch.optim.AdamW(model.parameters())
for batch, target in batches(3):
    optimizer.zero_grad()
    loss = entropy(model(batch), target)
    slopes = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
    (loss + sum(slope.square().sum() for slope in slopes)).backward()
    optimizer.step()
    print(f"{loss.item():.9f}")
"""
    + END
)

PROGRAMS = {name.lower(): text for name, text in list(globals().items()) if name.isupper() and "entropy" in str(text) and name not in ("BEGIN", "STEP")}
