# SPDX-License-Identifier: Apache-2.0
"""Parts of Python training programs, for the tests to assemble."""

BEGIN = """
import sys, torch
import strata_profiler as strata
torch.manual_seed(0)
device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
def make():
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10)).to(device)
    return model, torch.optim.AdamW(model.parameters())
def batch():
    return torch.randn(32, 64, device=device), torch.randint(0, 10, (32,), device=device)
entropy = torch.nn.functional.cross_entropy
def train(model, optimizer, inputs, targets):
    optimizer.zero_grad()
    loss = entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.9f}")
"""

ATTACHED = (
    BEGIN
    + """
model, optimizer = make()
strata.attach(model, optimizer)
for index in range(4):
    strata.step()
    train(model, optimizer, *batch())
if device != "cpu":
    print(torch.cuda.max_memory_allocated())
"""
)

# The same training in a program that does not use Strata.
PLAIN = ATTACHED.replace("import strata_profiler as strata\n", "").replace("    strata.step()\n", "").replace("strata.attach(model, optimizer)\n", "")
