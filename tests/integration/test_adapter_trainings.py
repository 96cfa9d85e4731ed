# SPDX-License-Identifier: Apache-2.0
"""Trainings with an adapter: saved and resumed, checkpointed, in a grid, in `strata fit` and
`strata advise`, and LLaMA 7B on a dry 24 GB card."""

import csv
import io
import json
import os
import pathlib

import pytest
from workspaces import STRATA

REPOSITORY = pathlib.Path(__file__).parents[2]
TINY = """\
model: {name: llama, size: custom, layers: 2, d_model: 64, d_ff: 128, heads: 4, vocab: 64, context: 16, init: hash}
adapter: {name: lora, rank: 4}
data: {source: hash, batch_size: 2}
optimizer: {lr: 1.0e-2}
schedule: {wait: 0, warmup: 1, active: 4}
backend: {threads: 1}
plugins: [allocator_tracer]
"""
STEPS = 5


@pytest.fixture
def adapted(workspace):
    workspace.write("tiny.yaml", TINY)
    return workspace


def losses(workspace, out, *overrides):
    result = workspace.strata("run", "tiny.yaml", "--out", out, *overrides)
    assert result.returncode == 0, result.stderr
    return dict(workspace.query(out, "SELECT step, loss FROM step ORDER BY step"))


@pytest.mark.parametrize(
    "options",
    [["precision=bf16_autocast", "optimizer.clip_norm=0.1"], ["adapter.base=nf4", "adapter.double_quantization=true", "adapter.dropout=0.1"]],
    ids=["fp32 base, clipped", "nf4, dropped"],
)
def test_a_saved_training_goes_on(adapted, options):
    whole = losses(adapted, "whole", *options)
    losses(adapted, "half", *options, "schedule.max_steps=3", "save.at_end=true")
    rest = losses(adapted, "rest", *options, "resume=half")
    assert len(whole) == STEPS and whole[0] != whole[STEPS - 1]
    assert rest == {step: whole[step] for step in (3, 4)}


def test_another_rank_is_not_resumed(adapted):
    losses(adapted, "half", "schedule.max_steps=2", "save.at_end=true")
    result = adapted.strata("run", "tiny.yaml", "--out", "rest", "resume=half", "adapter.rank=8")
    assert result.returncode != 0
    assert "adapter.rank" in result.stderr


OTHER_CHECKPOINTS = [pytest.param(how, marks=pytest.mark.long) for how in ("{every: 2, offload: true}", "{select: attention}", "{select: mlp}")]


@pytest.mark.parametrize("how", ["block", *OTHER_CHECKPOINTS])
def test_checkpointed_blocks_compute_the_same(adapted, how):
    for base in ("fp32", "nf4"):
        plain = losses(adapted, f"plain-{base}", f"adapter.base={base}", "adapter.targets=all-linear")
        checkpointed = losses(adapted, f"kept-{base}", f"adapter.base={base}", "adapter.targets=all-linear", f"checkpointing={how}")
        assert checkpointed == plain


def test_each_parameter_steps_in_backward(adapted):
    assert losses(adapted, "per-layer", "optimizer.per_layer=true") == losses(adapted, "whole")


def test_every_byte_has_a_category(adapted):
    result = adapted.strata("run", "tiny.yaml", "--dry", "t4", "--json", "adapter.base=nf4", "adapter.double_quantization=true", "--out", "out")
    categories = json.loads(result.stdout)["peak"]["categories"]
    stored = dict(adapted.query("out", "SELECT name, max(is_frozen) FROM tensor GROUP BY name"))
    assert categories["Unknown"] == 0
    assert stored["layers.0.mlp.up_proj.weight"] == 1 and stored["layers.0.self_attn.q_proj.lora_A.default.weight"] == 0
    assert "layers.0.mlp.up_proj.nested_absmax" in stored


def test_a_grid_over_ranks_and_bases(adapted):
    adapted.write("g.yaml", "grid: 1\nname: g\nbase: tiny.yaml\ndevice: {dry: t4}\naxes:\n  adapter.rank: [4, 16]\n  adapter.base: [fp32, nf4]\n")
    result = adapted.strata("grid", "run", "g.yaml", "--out", "grid")
    assert result.returncode == 0, result.stderr
    table = adapted.strata("grid", "export", "grid", "--columns", "adapter.rank,adapter.base,parameters,peak_allocated").stdout
    rows = {(row["adapter.rank"], row["adapter.base"]): row for row in csv.DictReader(io.StringIO(table))}
    extra = int(rows["16", "fp32"]["parameters"]) - int(rows["4", "fp32"]["parameters"])
    assert extra == 12 * 2 * 2 * (64 + 64)  # ranks, layers, targets, sides
    for rank in ("4", "16"):
        assert int(rows[rank, "nf4"]["peak_allocated_bytes"]) < int(rows[rank, "fp32"]["peak_allocated_bytes"])


@pytest.mark.long
def test_the_largest_rank_that_fits(adapted):
    wide = ["model.d_model=1024", "model.d_ff=2816", "model.init=random", "adapter.targets=all-linear"]
    result = adapted.strata("fit", "tiny.yaml", *wide, "--device", "t4", "--over", "adapter.rank", "--step", "1024", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["largest"] >= 1024 and found["next"] == found["largest"] + 1024


def test_a_base_in_4_bits_is_advised(adapted):
    result = adapted.strata("advise", "tiny.yaml", "--device", "t4", "--json")
    assert result.returncode == 0, result.stderr
    advice = json.loads(result.stdout)
    changes = {change["name"]: each for each in advice["alone"] for change in each["changes"]}
    assert changes["base in 4 bits"]["allocated_bytes"] < advice["base"]["allocated_bytes"]
    assert not any("not taken" in line and "adapter" in line for line in result.stderr.splitlines())


def test_llama_7b_is_dry_in_little_memory(workspace):
    command = [STRATA, "run", str(REPOSITORY / "configs/lora-7b.yaml"), "--dry", "rtx-4090", "--out", str(workspace.folder / "out"), "--json"]
    with (workspace.folder / "summary.json").open("w") as out:
        actions = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1)]
        process = os.posix_spawn(STRATA, command, os.environ, file_actions=actions)
        _, status, usage = os.wait4(process, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert usage.ru_maxrss < 1 << 20  # KiB; the weights would need 12.6 GiB
    peak = json.loads((workspace.folder / "summary.json").read_text())["peak"]
    weights = 2 * 6_738_415_616 + 4 * 4_194_304
    assert weights < peak["categories"]["Parameter"] < weights + (1 << 20)
    assert peak["allocated_bytes"] < 14 << 30
