# SPDX-License-Identifier: Apache-2.0
"""Memory by module and each step's peak, in real runs: every tree adds up to the allocated bytes
exactly."""

import json

import pytest

CATEGORIES = ["Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail", "Unknown"]

TINY = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""

RESNET = """\
model: {name: resnet18, image_size: 32, classes: 10}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 1}
plugins: [allocator_tracer]
"""

LLAMA = """\
model: {name: llama, size: custom, layers: 3, d_model: 64, d_ff: 128, heads: 4, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 2}
plugins: [allocator_tracer]
"""

RUNS = {
    "plain": (TINY, []),
    "checkpointing": (TINY, ["checkpointing=block"]),
    "accumulation": (TINY, ["accumulation=3", "zero_grad.at=before_backward"]),
    "loop_optimizer": (TINY, ["optimizer.impl=loop"]),
    "foreach_optimizer": (TINY, ["optimizer.impl=foreach"]),
    "per_layer": (TINY, ["optimizer.per_layer=true"]),
    "dry": (TINY, ["--dry", "h100-80gb"]),
    "dry_checkpointing": (TINY, ["--dry", "h100-80gb", "checkpointing=block", "precision=bf16_autocast"]),
    "llama": (LLAMA, []),
    "dry_llama": (LLAMA, ["--dry", "h100-80gb"]),
    "resnet": (RESNET, []),
}


def tree_of(workspace, *words):
    result = workspace.strata("report", "out", "--layers", "--json", *words)
    assert result.returncode == 0, result.stderr
    tree = json.loads(result.stdout)
    assert tree["schema"] == "strata.layers/1"
    return tree


def check_sums(tree, allocated, categories):
    layers = tree["layers"]
    assert layers[0]["path"] == "" and layers[0]["depth"] == 0
    assert layers[0]["bytes"] == allocated
    assert layers[0]["total"] == categories
    below = {}
    open_nodes = []
    for node in layers:
        del open_nodes[node["depth"]:]
        if open_nodes:
            parent = open_nodes[-1]["path"]
            sums = below.setdefault(parent, dict.fromkeys(CATEGORIES, 0))
            for category in CATEGORIES:
                sums[category] += node["total"][category]
        open_nodes.append(node)
        assert node["bytes"] == sum(node["total"].values()) <= node["most_bytes"]
    for node in layers:
        for category in CATEGORIES:
            assert node["total"][category] == node["self"][category] + below.get(node["path"], node["total"])[category] * (
                node["path"] in below)


@pytest.mark.smoke
@pytest.mark.parametrize("config, words", RUNS.values(), ids=RUNS.keys())
def test_the_tree_adds_up_at_every_peak(workspace, config, words):
    workspace.write("run.yaml", config)
    result = workspace.strata("run", "run.yaml", "--out", "out", "--json", *words)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    peak = summary["peak"]
    check_sums(tree_of(workspace), peak["allocated_bytes"], peak["categories"])
    for step in summary["steps"]:
        tree = tree_of(workspace, "--step", step["index"])
        assert (tree["step"], tree["phase"]) == (step["index"], step["peak_phase"])
        check_sums(tree, step["peak_allocated_bytes"], step["peak_categories"])

    since = peak["since_begin"]
    assert since["allocated_bytes"] + sum(since["change"].values()) == peak["allocated_bytes"]
    for category in CATEGORIES:
        assert since["change"][category] == sum(
            kind["born_bytes"] - kind["freed_bytes"] for kind in since["kinds"] if kind["category"] == category)
    assert peak["outside_phase"] is not None
    # On the dry GPU most of so small a model's memory is cuBLAS's workspace, so no valley is a
    # hundredth deep.
    assert peak["next_place"] is not None or "--dry" in words
    for place in filter(None, (peak["next_place"], peak["outside_phase"])):
        assert place["allocated_bytes"] + place["lower_bytes"] == peak["allocated_bytes"]
        assert place["valley_bytes"] <= place["allocated_bytes"] == sum(place["categories"].values())


def test_each_rank_has_a_tree(workspace):
    workspace.write("run.yaml", TINY)
    result = workspace.strata("run", "run.yaml", "--out", "out", "world_size=2")
    assert result.returncode == 0, result.stderr
    for rank in (0, 1):
        summary = json.loads(workspace.strata("report", "out", "--json", "--rank", rank).stdout)
        check_sums(tree_of(workspace, "--rank", rank), summary["peak"]["allocated_bytes"], summary["peak"]["categories"])


def test_parameters_gradients_and_state_are_in_their_module(finished):
    tree = {node["path"]: node for node in tree_of(finished, "--step", 1)["layers"]}
    layer = tree["layers.0"]
    assert layer["total"]["Optimizer_State"] == 2 * layer["total"]["Parameter"] > 0
    assert layer["total"]["Parameter"] == tree["layers.1"]["total"]["Parameter"]
    parameters = sum(node["self"]["Parameter"] for path, node in tree.items() if not path.startswith("("))
    assert parameters == tree[""]["total"]["Parameter"]
    assert sum(node["self"]["Gradient"] for path, node in tree.items() if path.startswith("layers.")) <= tree[""]["total"]["Gradient"]


def test_the_tables_are_printed_and_nothing_is_written(finished):
    before = {path: path.stat().st_mtime_ns for path in (finished.folder / "out").iterdir()}
    layers = finished.strata("report", "out", "--layers").stdout
    assert "layers.[0-1]" in layers and "(itself)" in layers
    assert "layers.[0-1]" not in finished.strata("report", "out", "--layers", "--unfold").stdout
    flat = finished.strata("report", "out", "--layers", "--depth", "1").stdout
    assert "(itself)" not in flat.split("Each row")[0]
    steps = finished.strata("report", "out", "--steps").stdout.splitlines()
    assert [line.split()[0] for line in steps[1:4]].count(">") == 1
    assert before == {path: path.stat().st_mtime_ns for path in (finished.folder / "out").iterdir()}


def test_the_steps_are_those_of_the_summary(finished):
    document = json.loads(finished.strata("report", "out", "--steps", "--json").stdout)
    assert document["schema"] == "strata.steps/1"
    assert document["steps"] == json.loads((finished.folder / "out/summary.json").read_text())["steps"]


@pytest.mark.parametrize("words, said", [
    (["--layers", "--step", "9"], "--step 9: the run recorded steps 0 to 2"),
    (["--layers", "--steps"], "excludes"),
    (["--layers", "--stacks"], "excludes"),
    (["--steps", "--shapes"], "excludes"),
    (["--warm-up", "--scopes"], "excludes"),
    (["--ranks", "--shapes"], "excludes"),
    (["--depth", "2"], "--depth needs --layers or --time"),
    (["--layers", "--depth", "0"], "depth"),
])
def test_what_cannot_be_asked_is_refused(finished, words, said):
    result = finished.strata("report", "out", *words)
    assert result.returncode == 2
    assert said.lower() in result.stderr.lower()


def test_the_report_says_what_lowering_the_peak_buys(finished):
    assert "lowering this peak" in " ".join(finished.strata("report", "out").stdout.split())
