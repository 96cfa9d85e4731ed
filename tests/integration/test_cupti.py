# SPDX-License-Identifier: Apache-2.0
"""Device activity, recorded through the whole program, on a dry GPU with a modelled clock."""

import contextlib
import json
import pathlib
import sqlite3
import sys

import pytest
from workspaces import STRATA

CONFIG = """\
model: {name: transformer, size: custom, layers: 2, d_model: 64, d_ff: 128, heads: 2, vocab: 128, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 1, warmup: 1, active: 2}
"""
PLUGINS = pathlib.Path(STRATA).parents[1] / "tests/sources_cupti/plugins"


def run(workspace, device, *words, plugins=f"[{PLUGINS}/activity_writer.so]"):
    workspace.write("run.yaml", CONFIG)
    result = workspace.strata("run", "run.yaml", "--out", "out", f"plugins={plugins}", f"device={device}", *words)
    assert result.returncode == 0, result.stderr
    sources = json.loads((workspace.folder / "out/manifest.json").read_text())["sources"]
    return {source["id"]: source for source in sources}, result.stderr


def rows(workspace, statement):
    (store,) = (workspace.folder / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        return database.execute(statement).fetchall()


@pytest.mark.smoke
def test_every_launch_of_the_window_has_its_kernel_op_and_phase(workspace):
    sources, _ = run(workspace, "{dry: h100-80gb, clock: modelled}")
    assert sources["cupti"]["status"] == "ok"
    ((launches, answered, kernels, regime, modelled),) = rows(
        workspace, "SELECT launches, answered_launches, kernels, regime, modelled FROM cupti_capture"
    )
    assert launches == answered == kernels > 100
    assert (regime, modelled) == (1, 1)
    assert rows(workspace, "SELECT dropped, without_call, lost_origins, broken_buffers FROM cupti_capture") == [(0, 0, 0, 0)]
    # Only kernels of the window are recorded, each with its operator, phase and module, and marked
    # as modelled.
    ((told, with_op, with_phase, with_module, modelled),) = rows(
        workspace,
        "SELECT count(*), sum(op != 0), sum(phase != 0), sum(module != 0), sum(modelled)"
        " FROM activity_writer_activity WHERE kind = 1",
    )
    assert 0 < told < kernels, "the warm-up's are left out"
    assert with_op == with_phase == modelled == told
    assert with_module > 0
    ((outside,),) = rows(
        workspace,
        "SELECT count(*) FROM activity_writer_activity AS a WHERE a.end_ns < (SELECT min(begin_ns) FROM step WHERE step >= 2)",
    )
    assert outside == 0
    phases = rows(
        workspace,
        "SELECT DISTINCT phase.name FROM activity_writer_activity AS a JOIN phase ON phase.phase = a.phase WHERE a.kind = 1",
    )
    assert {("forward",), ("backward",), ("optimizer",)} <= set(phases)


def test_without_a_clock_it_says_why_there_is_nothing(workspace):
    sources, errors = run(workspace, "{dry: h100-80gb}")
    assert sources["cupti"]["status"] == "failed"
    assert "add --clock modelled" in sources["cupti"]["reason"]
    assert "add --clock modelled" in errors
    assert rows(workspace, "SELECT regime, activities FROM cupti_capture") == [(4, 0)]


def test_nobody_listens_so_it_stays_out(workspace):
    sources, errors = run(workspace, "{dry: h100-80gb}", plugins="[allocator_tracer]")
    assert sources["cupti"]["status"] == "ok"
    assert "cupti" not in errors
    assert rows(workspace, "SELECT count(*) FROM sqlite_master WHERE name = 'cupti_capture'") == [(0,)]


def test_on_the_cpu_it_is_not_loaded(workspace):
    sources, _ = run(workspace, "cpu")
    assert set(sources) == {"torch"}


def test_only_what_was_chosen(workspace):
    run(workspace, "{dry: h100-80gb, clock: modelled}", "cupti.kinds=copy,set")
    kinds = {kind for (kind,) in rows(workspace, "SELECT DISTINCT kind FROM activity_writer_activity")}
    assert kinds and kinds <= {2, 3}


COMPILED = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.LayerNorm(256), torch.nn.Linear(256, 64)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
compiled = torch.compile(model)
for step in range(4):
    with torch.autocast("cuda", torch.bfloat16):
        loss = compiled(torch.randn(32, 64, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def record_on_a_dry_card(workspace, program):
    workspace.write("program.py", program)
    more = ["--dry", "h200", "--clock", "modelled", "--plugins", "allocator_tracer,cupti_timeline", "--out", "out"]
    done = workspace.strata("exec", *more, "--", sys.executable, "program.py")
    assert done.returncode == 0, done.stderr


def test_kernels_of_triton_have_their_op_and_phase(workspace):
    """torch.compile launches them through cuLaunchKernelEx, and so does cuBLAS its products:
    neither calls the runtime."""
    record_on_a_dry_card(workspace, COMPILED)
    ((launches, answered, kernels, without_call),) = rows(
        workspace, "SELECT launches, answered_launches, kernels, without_call FROM cupti_capture"
    )
    assert launches == answered == kernels > 0
    assert without_call == 0
    of_steps = rows(
        workspace,
        "SELECT string.text, a.op, a.phase FROM cupti_timeline_activity AS a JOIN string ON string.id = a.name"
        " WHERE a.kind = 1 AND a.begin_ns >= (SELECT min(begin_ns) FROM step WHERE step >= 1)",
    )
    assert any(name.startswith("triton_") for name, _, _ in of_steps)
    assert [kernel for kernel in of_steps if kernel[1] == 0] == []
    assert [kernel for kernel in of_steps if kernel[0].startswith("triton_") and kernel[2] == 0] == []
    ((by_driver,),) = rows(workspace, "SELECT count(*) FROM cupti_timeline_activity WHERE kind = 5 AND detail = 0x102")
    assert by_driver > 0


CAPTURED = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 64)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
values = torch.randn(32, 64, device="cuda")
def backward():
    model(values).sum().backward()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    backward()
for replay in range(3):
    graph.replay()
    optimizer.step()
"""


def test_kernels_of_a_graph_have_the_op_they_were_captured_under(workspace):
    record_on_a_dry_card(workspace, CAPTURED)
    kernels = rows(
        workspace,
        "SELECT a.graph_node, string.text FROM cupti_timeline_activity AS a JOIN cupti_timeline_op AS op ON op.op = a.op"
        " JOIN string ON string.id = op.name WHERE a.kind = 1 AND a.graph != 0",
    )
    ((of_graphs,),) = rows(workspace, "SELECT count(*) FROM cupti_timeline_activity WHERE kind = 1 AND graph != 0")
    assert len(kernels) == of_graphs > 0
    assert {"aten::addmm", "aten::gelu"} <= {name for _, name in kernels}
    by_node = {}
    for node, name in kernels:
        by_node.setdefault(node, []).append(name)
    assert all(len(names) == 3 and len(set(names)) == 1 for names in by_node.values()), "one op a node, in each of its launches"


PROGRAM = """
import os, sys, torch
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def child():
    if os.fork() == 0:
        sys.exit(0)
    os.wait()
for step in range(4):
    model(torch.randn(32, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    if step == 2 and "fork" in sys.argv:
        child()
"""


@pytest.mark.parametrize("words", [[], ["fork"]], ids=["alone", "forks"])
def test_what_a_program_does_up_to_its_exit_is_told(workspace, words):
    workspace.write("program.py", PROGRAM)
    more = ["--dry", "h100-80gb", "--clock", "modelled", "--plugins", "allocator_tracer,cupti_timeline", "--out", "out"]
    done = workspace.strata("exec", *more, "--", sys.executable, "program.py", *words)
    assert done.returncode == 0, done.stderr
    ((launches, answered, kernels),) = rows(workspace, "SELECT launches, answered_launches, kernels FROM cupti_capture")
    assert launches == answered == kernels > 0
    by_step = rows(
        workspace,
        "SELECT step.step, count(*) FROM step JOIN cupti_timeline_activity AS a"
        " ON a.begin_ns >= step.begin_ns AND a.begin_ns < step.end_ns WHERE a.kind = 1 GROUP BY step.step ORDER BY step.step",
    )
    assert [step for step, _ in by_step] == [0, 1, 2, 3]
