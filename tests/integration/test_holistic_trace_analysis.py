# SPDX-License-Identifier: Apache-2.0
"""Strata's trace in HolisticTraceAnalysis, which reads torch.profiler's: a real run's operators,
with an invented kernel for each."""

import sqlite3

import pytest
from workspaces import TINY, Workspace

hta = pytest.importorskip("hta.trace_analysis", reason="HolisticTraceAnalysis: third_party/requirements-workloads.txt")

KERNEL = "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEviT0_"
KERNEL_NS, GAP_NS = 20_000, 2_000
KERNEL_KIND, COPY_KIND, API_KIND = 1, 2, 5
RUNTIME, LAUNCHES = 1, 0x100


def add_device_work(store):
    """Add a kernel or a copy for each operator that no other operator called, one after the other
    with a gap. Returns their number by kind."""
    with sqlite3.connect(store) as database:
        first = database.execute("SELECT max(id) + 1 FROM string").fetchone()[0]
        names = {"cudaLaunchKernel": first, "cudaMemcpyAsync": first + 1, KERNEL: first + 2}
        database.executemany("INSERT INTO string VALUES (?, ?)", [(number, text) for text, number in names.items()])
        insert = f"INSERT INTO cupti_timeline_activity VALUES ({', '.join('?' * 20)})"
        free, numbers = 0, {KERNEL_KIND: 0, COPY_KIND: 0}
        operators = database.execute("SELECT begin_ns, op, thread FROM cupti_timeline_op WHERE parent = 0 ORDER BY begin_ns").fetchall()
        for correlation, (begin, op, thread) in enumerate(operators, 1):
            kind = COPY_KIND if correlation % 5 == 0 else KERNEL_KIND
            numbers[kind] += 1
            call = names["cudaMemcpyAsync" if kind == COPY_KIND else "cudaLaunchKernel"]
            detail = RUNTIME | (LAUNCHES if kind == KERNEL_KIND else 0)
            database.execute(insert, (2 * correlation, begin, begin + 1000, API_KIND, detail, call, 2, 0, 1, 0, correlation, thread, op, 0, 0, 0, 0, 0, 0, 0))
            at = max(free, begin + 5_000)
            free = at + KERNEL_NS + GAP_NS
            name, copied = (0, 4096) if kind == COPY_KIND else (names[KERNEL], 0)
            database.execute(
                insert,
                (2 * correlation + 1, at, at + KERNEL_NS, kind, 1 if copied else 0, name, 2, 0, 1, 7, correlation, 0, op, 0, 0, copied, 0, 0, 0, 0),
            )
    return numbers


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("hta"))
    workspace.write("run.yaml", TINY.replace("plugins: [allocator_tracer]", "plugins: [allocator_tracer, cupti_timeline]"))
    assert workspace.strata("run", "run.yaml", "--out", "out").returncode == 0
    (store,) = (workspace.folder / "out/rank0").glob("*.sqlite")
    numbers = add_device_work(store)
    (workspace.folder / "traces").mkdir()
    result = workspace.strata("export", "out", "--format", "chrome", "--out", "traces/trace.json")
    assert result.returncode == 0, result.stderr
    return numbers, hta.TraceAnalysis(trace_dir=str(workspace.folder / "traces"), include_last_profiler_step=True)


def test_it_finds_the_steps_and_the_operators(analysed):
    _, analysis = analysed
    trace = analysis.t.get_trace(0)
    assert {1, 2} <= set(trace["iteration"])
    names = {analysis.t.symbol_table.sym_table[name] for name in trace["name"]}
    assert {"ProfilerStep#1", "forward", "layers.0", "cudaLaunchKernel"} <= names
    assert any(name.startswith("aten::") for name in names)


def test_it_breaks_the_device_down_as_it_was_made(analysed):
    numbers, analysis = analysed
    row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    busy = sum(numbers.values()) * KERNEL_NS / 1e3
    assert row["compute_time(us)"] + row["non_compute_time(us)"] == pytest.approx(busy, rel=0.15)
    kinds, kernels = analysis.get_gpu_kernel_breakdown(visualize=False)
    shares = dict(zip(kinds["kernel_type"], kinds["percentage"]))
    assert shares["COMPUTATION"] == pytest.approx(100 * numbers[KERNEL_KIND] / sum(numbers.values()), abs=1)
    assert any("vectorized_elementwise_kernel" in name for name in kernels["name"])


def test_it_joins_launches_with_kernels(analysed):
    numbers, analysis = analysed
    launches = analysis.get_cuda_kernel_launch_stats(visualize=False)[0]
    assert len(launches) == sum(numbers.values())
    assert (launches["gpu_duration"] > 0).all()
