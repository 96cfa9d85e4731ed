# SPDX-License-Identifier: Apache-2.0
"""The time of a run: `strata report --time`, on the CPU and on a dry GPU, compared with the rows
and with the steps."""

import json

import pytest
from workspaces import TINY, Workspace

TIMED = TINY.replace("plugins: [allocator_tracer]", "plugins: [allocator_tracer, cupti_timeline]") + "trace: {shapes: true}\n"


def time_of(workspace, run, *words):
    result = workspace.strata("report", run, "--time", "--json", "--top", 10000, *words)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module", params=["cpu", "dry"])
def timed(request, tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp(request.param))
    config = workspace.write("run.yaml", TIMED)
    result = workspace.strata("run", config, "--out", "out", *(["--dry", "h100-80gb"] if request.param == "dry" else []))
    assert result.returncode == 0, result.stderr
    return workspace


@pytest.mark.smoke
def test_operators_fit_into_steps_and_phases(timed):
    time = time_of(timed, "out")
    assert time["schema"] == "strata.time/1"
    assert [step["step"] for step in time["steps"]] == [1, 2]
    for step in time["steps"]:
        assert 0 < step["operator_ns"] <= step["wall_ns"]
        assert step["operators"] > 100
    phases = {phase["path"]: phase for phase in time["phases"]}
    assert {"forward", "loss", "backward", "optimizer"} <= phases.keys()
    for phase in time["phases"]:
        assert phase["operator_ns"] <= phase["wall_ns"], phase
        assert phase["count"] >= 2
    for path in ("forward", "backward", "optimizer"):
        assert phases[path]["operator_ns"] > 0
        assert phases[path]["thread_ns"] <= phases[path]["wall_ns"] * time["threads"]
    assert sum(phase["wall_ns"] for phase in time["phases"] if "/" not in phase["path"]) <= time["window_ns"]
    assert time["window_ns"] == sum(step["wall_ns"] for step in time["steps"])
    assert sum(row["self_ns"] for row in time["operators"]) <= time["window_ns"] * time["threads"]


def test_every_operator_of_the_window_is_there_once(timed):
    time = time_of(timed, "out")
    (rows,) = timed.query("out", "SELECT count(*) FROM cupti_timeline_op")[0]
    assert sum(row["count"] for row in time["operators"]) == rows == sum(step["operators"] for step in time["steps"])
    ((backwards,),) = timed.query("out", "SELECT count(*) FROM cupti_timeline_op WHERE end_ns < begin_ns")
    assert backwards == 0
    ((outside,),) = timed.query(
        "out",
        "SELECT count(*) FROM cupti_timeline_op AS o JOIN cupti_timeline_op AS p ON p.op = o.parent"
        " WHERE o.begin_ns < p.begin_ns OR o.end_ns > p.end_ns OR o.thread != p.thread",
    )
    assert outside == 0


def test_layers_add_up_and_have_a_backward(timed):
    layers = time_of(timed, "out")["layers"]
    whole = layers[0]
    assert whole["path"] == ""
    for direction in ("forward_ns", "backward_ns", "operators"):
        assert whole["total"][direction] == sum(layer["self"][direction] for layer in layers)
    block = next(layer for layer in layers if layer["path"] == "layers.0")
    assert block["total"]["forward_ns"] > 0 and block["total"]["backward_ns"] > 0


def test_backward_finds_its_layers_on_autograds_threads_too(timed):
    threads = timed.query("out", "SELECT DISTINCT thread FROM cupti_timeline_op")
    nodes = timed.query("out", "SELECT DISTINCT thread FROM cupti_timeline_op WHERE kind = 1")
    assert nodes and set(nodes) <= set(threads)


def test_products_are_those_of_the_model(timed):
    """2 layers of width 32 and 64, a vocabulary of 256, 2 sequences of 32: forward's products, and
    two gradients of each."""
    products = time_of(timed, "out")["products"]
    tokens, width = 64, 32
    projections = 2 * (4 * tokens * width * width + 3 * tokens * width * 64) + tokens * width * 256
    attention = 2 * 2 * 2 * 32 * 32 * width
    flop = 2 * (projections + attention) * 3
    assert sum(product["flop"] for product in products) / 2 == pytest.approx(flop, rel=0.02)


def test_the_reports_say_it(timed):
    text = timed.strata("report", "out", "--time").stdout
    for part in ("Phases", "Modules", "layers.[0-1]", "Operators, by their own time", "Matrix products"):
        assert part in text
    steps = timed.strata("report", "out", "--time", "--steps").stdout.splitlines()
    assert [line.split()[0] for line in steps if line[2:3].isdigit()] == ["1", "2"]
    assert "more: strata report with --time" in timed.strata("report", "out").stdout
    summary = json.loads((timed.folder / "out/summary.json").read_text())
    assert [phase["path"] for phase in summary["time"]["phases"]] == [phase["path"] for phase in time_of(timed, "out")["phases"]]


def test_top_and_depth_cut(timed):
    short = json.loads(timed.strata("report", "out", "--time", "--json", "--top", 1).stdout)
    assert len(short["operators"]) == 1 and len(short["products"]) == 1
    deep, flat = (timed.strata("report", "out", "--time", "--depth", depth).stdout for depth in (3, 1))
    assert "attn" in deep and "attn" not in flat


def test_without_the_plugin_there_is_no_time(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.write("run.yaml", TINY)
    assert workspace.strata("run", "run.yaml", "--out", "out").returncode == 0
    for form in ([], ["--json"]):
        refused = workspace.strata("report", "out", "--time", *form)
        assert (refused.returncode, refused.stdout, "strata exec --plugins allocator_tracer,cupti_timeline" in refused.stderr) == (2, "", True)
    assert json.loads((tmp_path / "out/summary.json").read_text())["time"] is None


def test_it_works_with_no_other_plugin(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.write("run.yaml", TIMED.replace("allocator_tracer, ", ""))
    result = workspace.strata("run", "run.yaml", "--out", "out")
    assert result.returncode == 0, result.stderr
    assert "Operators, by their own time" in workspace.strata("report", "out", "--time").stdout


@pytest.mark.parametrize("words", [["--top", "3"], ["--card", "h100-80gb"], ["--time", "--layers"], ["--time", "--top", "0"]])
def test_what_cannot_be_asked_is_refused(timed, words):
    assert timed.strata("report", "out", *words).returncode == 2


def test_a_card_that_is_not_known_is_refused(timed):
    result = timed.strata("report", "out", "--time", "--card", "h1000")
    assert result.returncode == 2 and "h100" in result.stderr
