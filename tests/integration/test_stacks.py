# SPDX-License-Identifier: Apache-2.0
"""Stacks of a real run: they name the trainer's own functions, need little room, and survive a
kill."""

import json
import pickle
import re

import pytest

from workspaces import TINY

# With CUDA, backward runs on autograd's own threads.
OUTERMOST = re.compile(r"strata_trainer_run|torch::autograd::Engine::thread_init")
STACKS = "plugins=[{allocator_tracer: {stacks_above_mib: 0}}]"


@pytest.fixture(scope="module", params=["cpu", "dry"])
def run(request, tmp_path_factory):
    from workspaces import Workspace

    workspace = Workspace(tmp_path_factory.mktemp("stacks"))
    workspace.write("tiny.yaml", TINY)
    dry = ["--dry", "h100-80gb"] if request.param == "dry" else []
    result = workspace.strata("run", "tiny.yaml", "--out", "out", *dry, STACKS)
    assert result.returncode == 0, result.stderr
    workspace.printed = result.stdout
    return workspace


def stacks_of(run, count=1000):
    """Return [(heading, frames)] of `strata report --stacks`."""
    result = run.strata("report", "out", "--stacks", count)
    assert result.returncode == 0, result.stderr
    found = []
    for line in result.stdout.splitlines():
        if re.match(r" +[\d,.<]+ +[\d.]+% +\d+  ", line):
            found.append((line, []))
        elif line.startswith(" " * 14) and found:
            found[-1][1].append(line.strip())
    return found


@pytest.mark.smoke
def test_every_allocation_has_its_stack(run):
    ((allocations,),) = run.query("out", "SELECT count(*) FROM allocator_tracer_event WHERE action = 1 AND device_type != 3")
    ((stacks,),) = run.query("out", "SELECT count(*) FROM allocator_tracer_event_stack")
    assert stacks >= allocations > 500
    ((different, deepest),) = run.query(
        "out", "SELECT count(DISTINCT stack), max(position) FROM allocator_tracer_stack_frame"
    )
    assert different < stacks / 3
    assert 20 < deepest < 128


def test_every_address_lies_in_one_library(run):
    ((outside,),) = run.query(
        "out",
        "SELECT count(*) FROM allocator_tracer_stack_frame AS f WHERE 1 != (SELECT count(*) FROM allocator_tracer_library"
        " WHERE begin_address <= f.address AND f.address < end_address)",
    )
    assert outside == 0


def test_stacks_name_the_optimizer_and_the_model(run):
    found = stacks_of(run)
    assert found
    by_category = {}
    for heading, frames in found:
        by_category.setdefault(heading.split()[3], []).append("\n".join(frames))
    assert any("AdamW" in text or "Adam" in text for text in by_category["Optimizer_State"]), by_category["Optimizer_State"]
    assert any("Transformer::forward" in text for text in by_category["Activation"])
    # Frames go from the place that allocates to the trainer's entry; those that all stacks share
    # are left out.
    for _, frames in found:
        assert OUTERMOST.match(frames[-1]), frames
        assert not any(noise in frame for frame in frames for noise in ("allocator_tracer", "__libc_start", "c10::impl"))


def test_the_report_says_where_each_large_block_comes_from(run):
    lines = run.printed.splitlines()
    table = lines[next(index for index, line in enumerate(lines) if "largest at the peak" in line) + 1 :]
    origins = [line.strip() for line in table[1:16:2]]
    assert len(origins) == 8
    ours = [origin for origin in origins if re.search(r"\.(cpp|hpp):\d+$", origin)]
    assert not any(origin.startswith(("at::", "c10::", "std::")) for origin in ours), ours
    nodes = [origin for origin in origins if re.fullmatch(r"torch::autograd::generated::\w+::apply", origin)]
    assert len(ours) + len(nodes) == 8
    assert len(ours) >= 4


def test_exports_have_the_stacks(run):
    assert run.strata("export", "out", "--format", "json", "--out", "run.json").returncode == 0
    document = json.loads((run.folder / "run.json").read_text())
    frames = document["stack_frames"]
    columns = [column["name"] for column in frames["columns"]]
    functions = [dict(zip(columns, row))["function"] for row in frames["rows"]]
    assert any("strata::trainer::Transformer::forward" in function for function in functions)
    assert {row[1] for row in document["event_stacks"]["rows"]} == {row[0] for row in frames["rows"]}

    assert run.strata("export", "out", "--format", "memory_viz", "--out", "snapshot.pickle").returncode == 0
    snapshot = pickle.loads((run.folder / "snapshot.pickle").read_bytes())
    named = [frame for entry in snapshot["device_traces"][-1] for frame in entry.get("frames", []) if frame["line"] > 0]
    assert any(frame["name"].endswith("Transformer::forward") and frame["filename"].endswith(".cpp") for frame in named)

    assert run.strata("export", "out", "--format", "folded", "--out", "peak.folded").returncode == 0
    total = 0
    for line in (run.folder / "peak.folded").read_text().splitlines():
        stack, bytes_ = line.rsplit(" ", 1)
        assert stack == "(no stack)" or OUTERMOST.match(stack), stack
        total += int(bytes_)
    assert total == document["peak"]["allocated_bytes"]


def test_a_failed_allocation_has_its_stack(workspace):
    """The stack is there whatever the size: the run asked only for sizes above any that exist."""
    workspace.write("tiny.yaml", TINY)
    result = workspace.strata(
        "run",
        "tiny.yaml",
        "--out",
        "out",
        "--dry",
        "h100-80gb",
        "model.layers=32",
        "model.d_model=8192",
        "model.d_ff=32768",
        "plugins=[{allocator_tracer: {stacks_above_mib: 1000}}]",
    )
    assert result.returncode == 3, result.stderr
    told = result.stdout[result.stdout.index("Out of memory") :]
    assert re.search(r"strata::trainer::\S+", told), told
    assert re.search(r"\w+\.cpp:\d+", told), told


def test_a_run_without_stacks_pays_no_table(workspace):
    workspace.write("tiny.yaml", TINY)
    assert workspace.strata("run", "tiny.yaml", "--out", "out").returncode == 0
    tables = {name for (name,) in workspace.query("out", "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "allocator_tracer_event" in tables
    assert not {name for name in tables if "stack" in name or "library" in name}
    assert "took no stacks" in workspace.strata("report", "out", "--stacks").stdout
    result = workspace.strata("export", "out", "--format", "folded", "--out", "-")
    assert result.returncode == 1 and "stacks_above_mib" in result.stderr


def test_sampling_estimates_the_peak(workspace):
    """The same run with all stacks and with a sample: the sums agree within a few standard
    errors."""
    workspace.write("tiny.yaml", TINY)
    sampled = "plugins=[{allocator_tracer: {stacks_sample_mib: 0.02}}]"
    result = workspace.strata("run", "tiny.yaml", "--out", "out", sampled)
    assert result.returncode == 0, result.stderr
    ((allocations,),) = workspace.query("out", "SELECT count(*) FROM allocator_tracer_event WHERE action = 1")
    rows = workspace.query(
        "out",
        "SELECT e.bytes, s.chance FROM allocator_tracer_event_stack AS s JOIN allocator_tracer_event AS e USING (sequence)",
    )
    assert 10 < len(rows) < allocations
    ((total,),) = workspace.query("out", "SELECT sum(bytes) FROM allocator_tracer_event WHERE action = 1")
    estimate = sum(bytes_ / chance for bytes_, chance in rows)
    assert abs(estimate - total) < 5 * (total * 0.02 * 2**20) ** 0.5
    assert "±" in workspace.strata("report", "out", "--stacks").stdout
