# SPDX-License-Identifier: Apache-2.0
"""A program that uses torch.compile and counts its graphs."""

GRAPHS = """
import sys, torch
torch.manual_seed(0)
from torch._dynamo.testing import CompileCounterWithBackend
counter = CompileCounterWithBackend("eager")
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.AdamW(model.parameters())
if sys.argv[1] == "attached":
    import strata_profiler as strata
    strata.attach(model, optimizer)
    phase, step = strata.phase, strata.step
else:
    import contextlib
    phase, step = (lambda name: contextlib.nullcontext()), (lambda: None)
compiled = torch.compile(model, backend=counter)
whole = torch.compile(lambda values: compiled_whole(values), backend=counter)
def compiled_whole(values):
    with phase("forward"):
        return model(values).sum()
optimize = torch.compile(optimizer.step, backend=counter)
for index in range(3):
    step()
    compiled(torch.randn(8, 64)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
for index in range(3):
    step()
    whole(torch.randn(8, 64)).backward()
    optimize()
    optimizer.zero_grad()
print(counter.frame_count, counter.op_count, sum(torch._dynamo.utils.counters["graph_break"].values()))
"""
