# SPDX-License-Identifier: Apache-2.0
"""`strata exec` beside other tools that hook into torch: nothing breaks, counts equal torch's own,
and losses of data are reported."""

import json
import pathlib
import subprocess
import sys

import pytest

TRAINING = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
device = {device!r}
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10)).to(device)
optimizer = torch.optim.AdamW(model.parameters())
batch = torch.randn(32, 64).to(device)
def step():
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    return loss
"""
PROFILER = """
from torch.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    for _ in range(3):
        loss = step()
counts = {event.key: event.count for event in profiler.key_averages() if event.key.startswith("aten::")}
print(loss.item(), sorted(counts.items()))
"""
COMPILED = """
import torch._dynamo
model = torch.compile(model, backend="aot_eager")
for _ in range(3):
    loss = step()
counters = torch._dynamo.utils.counters
print(loss.item(), dict(counters["stats"]), dict(counters["graph_break"]))
"""
# Each prints the peak that torch counts.
ON_A_DRY_CARD = {
    "plain": "",
    "pool": """
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    kept = torch.empty(3 << 20, device=device)
""",
    "graph": """
static = torch.randn(32, 64, device=device)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    captured = model(static)
graph.replay()
""",
}
END = """
for _ in range(3):
    step()
print(torch.cuda.max_memory_allocated())
"""


def bare(workspace, program):
    return subprocess.run([sys.executable, program], cwd=workspace.folder, capture_output=True, text=True, check=True).stdout


def recorded(workspace, program, *words, **environment):
    result = workspace.strata("exec", *words, "--out", "out", "--", sys.executable, program, **environment)
    assert result.returncode == 0, result.stderr
    return result.stdout, json.loads((workspace.folder / "out/summary.json").read_text())


@pytest.mark.parametrize("rest", [PROFILER, COMPILED], ids=["profiler", "compiled"])
def test_what_the_program_prints_is_the_same(workspace, rest):
    """Losses are equal to the bit, the profiler counts the same operators, and Dynamo has the same
    graphs and breaks."""
    workspace.write("program.py", TRAINING.format(device="cpu") + rest)
    printed, summary = recorded(workspace, "program.py")
    assert printed == bare(workspace, "program.py")
    assert summary["peak"]["allocated_bytes"] > 0 and len(summary["steps"]) == 3


@pytest.mark.parametrize("name", ON_A_DRY_CARD)
@pytest.mark.parametrize("settings", ["", "expandable_segments:True"])
def test_the_peak_is_torchs(workspace, name, settings):
    workspace.write("program.py", TRAINING.format(device="cuda") + ON_A_DRY_CARD[name] + END)
    printed, summary = recorded(workspace, "program.py", "--dry", "h100-80gb", PYTORCH_CUDA_ALLOC_CONF=settings)
    assert summary["peak"]["allocated_bytes"] == int(printed)


def test_an_allocator_that_tells_nobody_is_counted(workspace):
    """cudaMallocAsync accepts a tracker and never calls it."""
    workspace.write("program.py", TRAINING.format(device="cuda") + END)
    printed, summary = recorded(workspace, "program.py", "--dry", "h100-80gb", PYTORCH_CUDA_ALLOC_CONF="backend:cudaMallocAsync")
    assert summary["peak"]["allocated_bytes"] == int(printed)
    ((name, tracing),) = workspace.query("out", "SELECT (SELECT text FROM string WHERE id = name), tracing FROM torch_cuda_allocator")
    assert (name, tracing) == ("cudaMallocAsync", 2)


COMPILED_OPTIMIZER = """
whole = torch.compile(optimizer.step, backend={backend!r})
model = torch.compile(model, backend={backend!r}) if {with_model} else model
for _ in range(4):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    whole()
print(loss.item())
"""


@pytest.mark.parametrize("with_model", [False, True], ids=["optimizer", "model-too"])
@pytest.mark.parametrize("backend", ["eager", pytest.param("inductor", marks=pytest.mark.long)])
def test_a_compiled_optimizer_ends_steps_and_has_state(workspace, backend, with_model):
    """Such a step is no torch range, and Inductor's kernels are no operators; the versions of
    parameters show it."""
    workspace.write("program.py", TRAINING.format(device="cpu") + COMPILED_OPTIMIZER.format(backend=backend, with_model=with_model))
    printed, summary = recorded(workspace, "program.py")
    assert printed == bare(workspace, "program.py")
    assert len(summary["steps"]) == 4
    names = {name for (name,) in workspace.query("out", "SELECT DISTINCT name FROM tensor")}
    assert {"0.weight", "2.bias", "0.weight.grad", "exp_avg", "exp_avg_sq"} <= names
    assert not [name for name in names if "_orig_mod" in name or "GraphModule" in name]
    phases = {name for (name,) in workspace.query("out", "SELECT DISTINCT name FROM phase")}
    assert {"forward", "backward", "optimizer"} <= phases


PLUGGED = """
#include <cstddef>
extern "C" int cudaMalloc(void**, std::size_t);
extern "C" int cudaFree(void*);
extern "C" void* plugged_malloc(std::size_t bytes, int, void*) {
  void* block = nullptr;
  return cudaMalloc(&block, bytes) == 0 ? block : nullptr;
}
extern "C" void plugged_free(void* block, std::size_t, int, void*) { cudaFree(block); }
"""
PLUG_IN = """
import os, torch
allocator = torch.cuda.memory.CUDAPluggableAllocator(os.path.abspath("plugged.so"), "plugged_malloc", "plugged_free")
torch.cuda.memory.change_current_allocator(allocator)
"""


def test_an_allocator_of_the_programs_own(workspace):
    source = workspace.write("plugged.cpp", PLUGGED)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", workspace.folder / "plugged.so", source], check=True)
    workspace.write("program.py", PLUG_IN + TRAINING.format(device="cuda") + "for _ in range(3):\n    step()\n")
    _, summary = recorded(workspace, "program.py", "--dry", "h100-80gb")
    assert len(summary["steps"]) == 3
    assert summary["categories"]["Unknown"]["max"] == 0
    weights = 4 * (64 * 256 + 256 + 256 * 10 + 10)
    assert summary["categories"]["Parameter"]["min"] == weights
    assert "'pluggable', which keeps no count" in workspace.strata("report", "out").stdout


@pytest.mark.long
def test_a_program_that_names_libtorch_before_the_standard_library(workspace):
    """libtorch.so exports the std::filesystem that it was built with. Ours must not resolve to it,
    because it crashes."""
    import torch

    home = pathlib.Path(torch.__file__).parent
    workspace.write("program.cpp", "#include <ATen/Functions.h>\nint main() { return at::ones({1000}).sum().item<float>() == 1000 ? 7 : 1; }\n")
    compiled = subprocess.run(
        ["c++", "-std=c++20", "program.cpp", f"-I{home}/include", f"-L{home}/lib", "-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10"]
        + [f"-Wl,-rpath,{home}/lib", "-o", "program"],
        cwd=workspace.folder, capture_output=True, text=True,
    )  # fmt: skip
    assert compiled.returncode == 0, compiled.stderr
    done = workspace.strata("exec", "--out", "out", "--", "./program")
    assert done.returncode == 7, done.stderr
    assert "\n  ended: failed\n" in done.stderr
