# SPDX-License-Identifier: Apache-2.0
"""Comparisons of two real runs: `strata diff` agrees with both runs' summaries, and a failed gate
makes it exit with 4."""

import json
import sys

import pytest
from workspaces import Workspace

CONFIG = """\
name: diffed
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""


@pytest.fixture(scope="module", params=["cpu", "dry"])
def runs(request, tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("diff"))
    workspace.write("config.yaml", CONFIG)
    dry = ["--dry", "h100-80gb"] if request.param == "dry" else []
    for name, overrides in (("base", []), ("new", ["data.batch_size=4"])):
        done = workspace.strata("run", "config.yaml", "--out", name, *dry, *overrides)
        assert done.returncode == 0, done.stderr
    return workspace


def summary(workspace, name):
    return json.loads((workspace.folder / name / "summary.json").read_text())


@pytest.mark.smoke
def test_numbers_are_those_of_the_summaries(runs):
    done = runs.strata("diff", "base", "new", "--json")
    assert done.returncode == 0, done.stderr
    diff = json.loads(done.stdout)
    measures = {measure["name"]: measure for measure in diff["measures"]}
    for side in ("base", "new"):
        of_run = summary(runs, side)
        assert measures["peak_allocated"][side] == of_run["peak"]["allocated_bytes"]
        for category, size in of_run["peak"]["categories"].items():
            assert measures[f"category.{category}"][side] == size
    assert measures["peak_allocated"]["change"] > 0
    assert {"key": "data.batch_size", "base": "2", "new": "4"} in diff["settings"]
    assert sum(group["change_bytes"] for group in diff["allocations"]) == measures["peak_allocated"]["change"]
    assert any(group["category"] == "Activation" for group in diff["allocations"])


def test_several_runs_stand_beside_their_base(runs):
    """Each compares as it does alone, and a gate applies to all of them."""
    alone = runs.strata("diff", "base", "new", "--json")
    several = runs.strata("diff", "base", "base", "new", "--json")
    document = json.loads(several.stdout)
    assert document["schema"] == "strata.diffs/1"
    assert document["diffs"][1] == json.loads(alone.stdout)
    assert all(measure["change"] in (0, None) for measure in document["diffs"][0]["measures"])
    gated = runs.strata("diff", "base", "base", "new", "--fail-if", "peak_allocated>+0B")
    assert gated.returncode == 4, gated.stderr
    lines = gated.stdout.splitlines()
    assert any(line.startswith("  2  pass") for line in lines) and any(line.startswith("  3  FAIL") for line in lines)
    assert "  3  data.batch_size=4" in lines
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("peak_allocated>+0B", 4),
        ("peak_allocated>+10000%", 0),
        ("peak_allocated<-1%", 0),
        ("category.Parameter>+0B", 0),
        ("category.Activation>+0B", 4),
        ("category.Unknown>0B", 0),
    ],
)
def test_a_gate_decides_the_exit_code(runs, gate, code):
    done = runs.strata("diff", "base", "new", "--fail-if", gate)
    assert done.returncode == code, done.stdout + done.stderr
    assert ("FAIL  " + gate in done.stdout) == (code == 4)


def test_one_gate_of_several_is_enough(runs):
    done = runs.strata("diff", "base", "new", "--fail-if", "category.Unknown>0B", "--fail-if", "peak_allocated>+0B", "--json")
    assert done.returncode == 4
    assert [gate["fails"] for gate in json.loads(done.stdout)["gates"]] == [False, True]


@pytest.mark.parametrize("gate", ["peak_allocatd>+1%", "peak_allocated>1%", "step_time>1GiB", "peak_allocated"])
def test_what_cannot_be_compared_is_wrong_usage(runs, gate):
    done = runs.strata("diff", "base", "new", "--fail-if", gate)
    assert done.returncode == 2
    assert done.stdout == "" and gate in done.stderr and "Traceback" not in done.stderr


def test_a_run_without_its_configuration_has_no_settings(runs):
    (runs.folder / "new" / "config.yaml").rename(runs.folder / "kept.yaml")
    try:
        done = runs.strata("diff", "base", "new", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["settings"] == []
    finally:
        (runs.folder / "kept.yaml").rename(runs.folder / "new" / "config.yaml")


def test_what_is_no_run_is_named(runs):
    done = runs.strata("diff", "base", "nowhere")
    assert done.returncode == 2 and "nowhere" in done.stderr


PROGRAM = """
import sys, torch
model = torch.nn.Linear(256, 256).cuda()
for step in range(3):
    model(torch.randn(int(sys.argv[1]), 256, device="cuda")).sum().backward()
    if step == 1 and "fails" in sys.argv: raise ValueError("on purpose")
"""


def test_of_programs_the_command_differs_and_what_failed_is_said_at_its_head(workspace):
    workspace.write("program.py", PROGRAM)
    for name, words, code in (("a", ["64"], 0), ("b", ["128", "in two words"], 0), ("c", ["64", "fails"], 1)):
        done = workspace.strata("exec", "--dry", "h100-80gb", "--out", name, "--", sys.executable, "program.py", *words)
        assert done.returncode == code, done.stderr
    line = f"{sys.executable} program.py "
    two = json.loads(workspace.strata("diff", "a", "b", "--json").stdout)
    assert two["settings"] == [{"key": "command", "base": line + "64", "new": line + "128 'in two words'"}]
    assert (two["base"]["end"], two["new"]["end"]) == ("done", "done")
    assert json.loads(workspace.strata("diff", "a", "c", "--json").stdout)["new"]["end"] == "failed"
    assert ", failed)\n" in workspace.strata("diff", "a", "c").stdout
    lines = workspace.strata("diff", "a", "b", "c").stdout.splitlines()
    assert [line.endswith("/c (failed)") for line in lines[1:4]] == [False, False, True]
    assert [line.split() for line in lines if line.startswith("Peak, MiB")] == [["Peak,", "MiB", "1", "a", "2", "b", "3", "failed"]]
