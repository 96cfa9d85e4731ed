# SPDX-License-Identifier: Apache-2.0
"""`strata fit` and `strata advise`: their answers compared with separate runs."""

import json
import shlex
import subprocess

import pytest
from workspaces import STRATA

SMALL = """\
model: {size: custom, layers: 2, d_model: 256, d_ff: 512, heads: 4, vocab: 512, context: 128}
data: {source: synthetic, batch_size: 8}
optimizer: {name: adamw, impl: foreach}
schedule: {wait: 0, warmup: 0, active: 3}
backend: {threads: 1}
"""


@pytest.fixture
def small(workspace):
    workspace.write("small.yaml", SMALL)
    return workspace


def fit(workspace, *words, code=0):
    result = workspace.strata("fit", "small.yaml", *words)
    assert result.returncode == code, result.stderr
    return result


def runs(workspace, *words):
    """Whether the whole `strata run`, without fit, completes."""
    result = workspace.strata("run", "small.yaml", *words, "--out", "alone")
    assert result.returncode in (0, 3), result.stderr
    subprocess.run(["rm", "-r", workspace.folder / "alone"], check=True)
    return result.returncode == 0


def repeat(workspace, command):
    words = [STRATA if word == "strata" else word for word in shlex.split(command)]
    result = subprocess.run(
        ["env", *words, "--out", "again", "--json"], cwd=workspace.folder, capture_output=True, text=True, timeout=200
    )
    assert result.returncode == 0, result.stderr
    subprocess.run(["rm", "-r", workspace.folder / "again"], check=True)
    return json.loads(result.stdout)


@pytest.mark.parametrize("key, at_least", [pytest.param("data.batch_size", 20, marks=pytest.mark.smoke), pytest.param("model.context", 150, marks=pytest.mark.long), ("model.layers", 10)])
def test_the_largest_fits_and_one_more_does_not(small, key, at_least):
    found = json.loads(fit(small, "--device", "t4", "--over", key, "data.batch_size=16", "model.context=512", "--json").stdout)
    largest = found["largest"]
    assert largest >= at_least and found["next"] == largest + 1
    words = ["data.batch_size=16", "model.context=512", "--dry", "t4"]
    assert runs(small, *words, f"{key}={largest}")
    assert not runs(small, *words, f"{key}={largest + 1}")
    assert found["needed_bytes"] <= found["memory_bytes"]
    assert found["left_bytes"] == found["memory_bytes"] - found["needed_bytes"]
    assert found["failure"]["requested_bytes"] > 0 and found["failure"]["phase"]
    # Attention's memory grows with the square of the context, so a line fits it badly, and not
    # everywhere: 2,525 needs less than 2,524.
    assert len(found["tried"]) <= 24
    again = repeat(small, found["command"])
    assert again["peak"]["allocated_bytes"] == found["peak"]["allocated_bytes"]


def test_multiples_alone(small):
    found = json.loads(fit(small, "--device", "t4", "--step", "64", "--json").stdout)
    assert found["largest"] % 64 == 0 and found["next"] == found["largest"] + 64
    assert {trial["value"] % 64 for trial in found["tried"]} == {0}


def test_a_table_over_cards(small):
    result = fit(small, "--devices", "t4,rtx-4090,h100-80gb", "--over", "model.layers", "data.batch_size=512")
    title, _, header, *rows = result.stdout.splitlines()
    assert title == "Largest model.layers on each card"
    assert header.split() == ["device", "memory", "GiB", "largest", "needs", "GiB", "left", "GiB"]
    largest = [int(row.split()[2]) for row in rows]
    assert [row.split()[0] for row in rows] == ["t4", "rtx-4090", "h100-80gb"]
    assert largest == sorted(largest) and largest[0] < largest[-1]
    assert all(float(row.split()[3]) <= float(row.split()[1]) for row in rows)


def test_what_does_not_fit_at_all_and_what_always_does(small):
    none = json.loads(fit(small, "--device", "t4", "--over", "data.batch_size", "--from", "900000", "--json").stdout)
    assert (none["largest"], none["next"]) == (None, 900000)
    every = json.loads(fit(small, "--device", "t4", "--at-most", "9", "--json").stdout)
    assert (every["largest"], every["next"]) == (9, None)
    text = fit(small, "--device", "t4", "--at-most", "9").stdout
    assert "largest that fits      9" in text and "--at-most" in text


@pytest.mark.parametrize(
    "words, said",
    [
        (["--device", "t5"], "strata: unknown device 't5'"),
        ([], "expected a card, such as --device a100-40gb"),
        (["--device", "t4", "--over", "optimizer.lr"], "optimizer.lr: expected a key with an integer value"),
        (["--device", "t4", "--over", "data.batchsize"], "did you mean 'data.batch_size'?"),
        (["--device", "t4", "--over", "model.heads"], "--step N tries only multiples of N"),
        (["--device", "t4", "model.layers=0"], "model.layers: expected an integer from 1"),
    ],
)
def test_refusals(small, words, said):
    assert said in fit(small, *words, code=2).stderr


def test_nothing_is_left_behind(small, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    before = sorted(small.folder.iterdir())
    fit(small, "--device", "t4", "--at-most", "4")
    assert sorted(small.folder.iterdir()) == before
    assert not list(scratch.iterdir())


@pytest.fixture(scope="module")
def advice(tmp_path_factory):
    folder = tmp_path_factory.mktemp("advice")
    (folder / "small.yaml").write_text(SMALL)
    words = ["small.yaml", "data.batch_size=64", "model.context=512", "--device", "t4"]
    result = subprocess.run(
        [STRATA, "advise", *words, "--json"], cwd=folder, capture_output=True, text=True, timeout=400
    )
    assert result.returncode == (0 if json.loads(result.stdout)["base"]["fits"] else 3), result.stderr
    text = subprocess.run([STRATA, "advise", *words], cwd=folder, capture_output=True, text=True, timeout=400)
    return folder, json.loads(result.stdout), text.stdout


def name(line):
    return " + ".join(change["name"] for change in line["changes"])


@pytest.mark.long
def test_each_number_is_that_of_its_command(advice):
    folder, found, _ = advice
    lines = [found["base"], *found["alone"][::4], *found["together"][-1:], found["all"]]
    for line in lines:
        words = ["env", *(str(STRATA) if word == "strata" else word for word in shlex.split(line["command"]))]
        result = subprocess.run([*words, "--out", "again", "--json"], cwd=folder, capture_output=True, text=True, timeout=200)
        assert result.returncode == 0, result.stderr
        subprocess.run(["rm", "-r", folder / "again"], check=True)
        assert json.loads(result.stdout)["peak"]["allocated_bytes"] == line["allocated_bytes"], name(line)


def test_what_is_known_to_save_does(advice):
    _, found, _ = advice
    need = {name(line): line["allocated_bytes"] for line in [found["base"], *found["alone"]]}
    # A fused optimizer's step counts are on the device, in a block of 512 bytes for each parameter.
    assert need["a fused optimizer"] <= need[""] + (1 << 20)
    # With two blocks, the second is recomputed while the first is kept: less memory is held during
    # the peak, but not at its top.
    assert need["checkpoint every block"] < need["checkpoint each 2nd block"] <= need[""]
    assert need["micro-batches of 2"] < need["micro-batches of 32"] < need[""]
    assert need["fused attention"] < need[""]
    assert need["all in bf16"] < need[""]
    together = [line["needed_bytes"] for line in found["together"]]
    assert together == sorted(together, reverse=True) and len(together) >= 2
    assert found["all"]["needed_bytes"] < together[-1]


def test_advice_reads_well(advice):
    _, found, text = advice
    lines = text.splitlines()
    assert all(len(line) <= 80 for line in lines if not line.startswith("  strata") and "PYTORCH" not in line), text
    assert "Another training, one change at a time" in text
    assert ("It fits as it is:" in text) == found["base"]["fits"]


@pytest.mark.parametrize("words", [["fit", "train.py", "--device", "rtx-4090"], ["advise", "train.py"]])
def test_a_program_is_told_how_it_is_asked(workspace, words):
    workspace.write("train.py", "")
    done = workspace.strata(*words)
    assert done.returncode == 2 and not done.stdout
    assert "expected a configuration's YAML file, found a program" in done.stderr
    assert "strata fit --device rtx-4090 -- python train.py --batch-size {}" in done.stderr


@pytest.mark.parametrize("words", [["--device-memory", "3GiB"], ["device={dry: t4, memory: 3GiB}"], ["device={dry: a100-40gb, memory: 3GiB}"]])
def test_less_memory_than_the_card_has(small, words):
    found = json.loads(fit(small, "--device", "t4", "model.context=512", *words, "--at-most", "9", "--json").stdout)
    assert found["memory_bytes"] == 3 << 30 and found["needed_bytes"] <= 3 << 30
    assert found["command"].count("device=") == 1
    repeat(small, found["command"])


@pytest.mark.long
def test_the_least_that_fits_runs_on_the_card(small):
    words = ["--device", "t4", "model.context=512", "device={dry: t4, memory: 3GiB}"]
    fitted = json.loads(fit(small, *words, "--json").stdout)
    assert fitted["memory_bytes"] == 3 << 30 and fitted["needed_bytes"] <= 3 << 30
    result = small.strata("advise", "small.yaml", *words, f"data.batch_size={fitted['next']}", "--json")
    assert result.returncode == 3, "it fits with changes alone"
    found = json.loads(result.stdout)
    assert found["memory_bytes"] == 3 << 30 and not found["base"]["fits"]
    assert found["least"]["fits"]
    assert "512GiB" not in found["least"]["command"]
    assert found["least"]["command"].count("data.batch_size=") == 1, "what a change overrules is left out"
    repeat(small, found["least"]["command"])
