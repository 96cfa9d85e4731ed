# SPDX-License-Identifier: Apache-2.0
"""Every two settings of a run that are compatible train together, on the CPU and on a dry GPU.

This is a pairwise covering array: each pair of values of two axes that no rule forbids is in at
least one row. Each row is a run of three steps. The program rejects what a rule forbids, with the
rule's reason.
"""

import itertools
import json

import pytest
from allpairspy import AllPairs

MODELS = {
    "transformer": "{name: transformer, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}",
    "llama": "{name: llama, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}",
    "gpt2": "{name: gpt2, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32, dropout: 0.1}",
    "qwen": "{name: qwen, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 4, kv_heads: 2, vocab: 256, context: 32}",
    "distilbert": "{name: distilbert, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}",
    "resnet18": "{name: resnet18, image_size: 32, classes: 10}",
    # At 32 pixels the last layers normalize two values each, and gradients overflow float16, also
    # in Python.
    "resnet50": "{name: resnet50, image_size: 64, classes: 10}",
}
AXES = {
    "device": ["cpu", "{dry: h100-80gb}"],
    "model": list(MODELS),
    "attention": ["naive", "sdpa", "sdpa_flash", "sdpa_efficient", "sdpa_math"],
    "optimizer": [
        "{name: sgd}",
        "{name: sgd, momentum: 0.9}",
        "{name: sgd, momentum: 0.9, impl: foreach}",
        "{name: sgd, momentum: 0.9, impl: fused}",
        "{name: adam}",
        "{name: adam, impl: foreach}",
        "{name: adam, impl: fused}",
        "{name: adamw}",
        "{name: adamw, impl: foreach}",
        "{name: adamw, impl: fused}",
        "{name: lion, lr_schedule: cosine, lr_warmup_steps: 1}",
        "{name: adafactor}",
        "{name: muon}",
        "{name: adam8bit}",
        "{name: galore_adamw, rank: 8}",
        "{name: galore_adamw, rank: 8, keep_factor: false, proj_type: full}",
        "{name: rsvd_adam, rank_fraction: 0.25}",
        "{name: adamw, per_layer: true}",
        "{name: galore_adamw, rank: 8, per_layer: true}",
    ],
    "optimizer.clip_norm": ["0.0", "1.0"],
    "optimizer.init_state": ["real", "dummy"],
    "precision": ["fp64", "fp32", "tf32", "bf16_autocast", "fp16_autocast", "bf16"],
    "autocast_cache": ["true", "false"],
    "checkpointing": [
        "none",
        "block",
        "{every: 2}",
        "{select: attention}",
        "{select: mlp}",
        "{every: 1, reentrant: true}",
        "{select: attention, reentrant: true}",
        "{select: mlp, reentrant: true}",
    ],
    "accumulation": ["1", "3"],
    "zero_grad": [
        "{at: step_start}",
        "{at: before_backward}",
        "{at: step_end}",
        "{at: step_start, set_to_none: false}",
        "{at: step_end, set_to_none: false}",
    ],
    "mode": ["train", "forward", "forward_grad"],
    "data": ["synthetic", "text", "hash"],
    "backend.onednn": ["true", "false"],
    "trace.saved_tensors": ["false", "true"],
    "world_size": ["1", "2"],
    "save": ["{}", "{every: 2}"],
}
IMAGES = ("resnet18", "resnet50")
HALF = ("bf16_autocast", "fp16_autocast", "bf16")

# Combinations that make no sense, by the two axes that decide it, with the program's message.
RULES = {
    ("device", "attention"): (
        lambda device, attention: device == "cpu" and attention == "sdpa_efficient",
        "is a CUDA kernel",
    ),
    ("device", "precision"): (
        lambda device, precision: device == "cpu" and precision == "tf32",
        "exists only on CUDA devices",
    ),
    ("model", "attention"): (
        lambda model, attention: model in IMAGES and attention != "naive",
        "has no effect with model.name",
    ),
    ("model", "checkpointing"): (
        lambda model, checkpointing: model in IMAGES and "select" in checkpointing,
        "because its blocks have no attention and no mlp",
    ),
    ("model", "data"): (
        lambda model, data: model in IMAGES and data != "synthetic",
        "which takes images",
    ),
    ("precision", "autocast_cache"): (
        lambda precision, cache: not precision.endswith("autocast") and cache == "false",
        "has an effect only with precision",
    ),
    ("optimizer", "accumulation"): (
        lambda optimizer, accumulation: "per_layer" in optimizer and accumulation != "1",
        "accumulation",
    ),
    ("optimizer", "optimizer.clip_norm"): (
        lambda optimizer, clip_norm: "per_layer" in optimizer and clip_norm != "0.0",
        "clip",
    ),
    ("optimizer", "precision"): (
        lambda optimizer, precision: "per_layer" in optimizer and precision == "fp16_autocast",
        "fp16_autocast",
    ),
    ("optimizer", "world_size"): (
        lambda optimizer, world_size: "per_layer" in optimizer and world_size != "1",
        "averaged over the ranks",
    ),
    ("mode", "checkpointing"): (
        lambda mode, checkpointing: mode == "forward" and checkpointing != "none",
        "has an effect only if autograd records",
    ),
    ("mode", "save"): (
        lambda mode, save: mode != "train" and save != "{}",
        "has an effect only with mode: train",
    ),
    # These apply only on CUDA. They read three axes, so that two of their values may still form a
    # pair.
    ("device", "model", "attention"): (
        lambda device, model, attention: (device != "cpu" and model == "qwen" and attention == "sdpa_efficient")
        or (device == "cpu" and model == "gpt2" and attention == "sdpa_flash"),
        "sdpa_",
    ),
    ("device", "attention", "precision"): (
        lambda device, attention, precision: device != "cpu"
        and (
            (attention == "sdpa_flash" and precision not in HALF)
            or (attention == "sdpa_efficient" and precision == "fp64")
        ),
        "precision",
    ),
}


def broken_rules(settings):
    """Return the rules that `settings`, a mapping of some axes, breaks."""
    return [
        says
        for axes, (forbids, says) in RULES.items()
        if all(axis in settings for axis in axes) and forbids(*(settings[axis] for axis in axes))
    ]


def all_pairs(values_of):
    """Yield each pair of values of two axes, as a mapping of these two."""
    for first, second in itertools.combinations(AXES, 2):
        for values in itertools.product(values_of[first], values_of[second]):
            yield dict(zip((first, second), values))


def completed(settings, wanted=()):
    """Return a row that extends `settings` and breaks no rule, or None. Searches depth first, and
    tries first the values that form the most wanted pairs."""
    if broken_rules(settings):
        return None
    unset = next((axis for axis in AXES if axis not in settings), None)
    if unset is None:
        return settings

    def pairs_made(value):
        row = settings | {unset: value}
        return sum(pair.get(unset) == value and holds(row, pair) for pair in wanted)

    values = sorted(AXES[unset], key=pairs_made, reverse=True)
    rows = (completed(settings | {unset: value}, wanted) for value in values)
    return next((row for row in rows if row is not None), None)


def holds(row, pair):
    return pair.items() <= row.items()


def covering_array():
    """Return the library's rows plus one for each possible pair that it missed, which happens when
    a filter reads many axes."""
    array = AllPairs(list(AXES.values()), filter_func=lambda values: not broken_rules(dict(zip(AXES, values))))
    rows = [dict(zip(AXES, row)) for row in array]
    missing = [pair for pair in all_pairs(AXES) if not any(holds(row, pair) for row in rows)]
    while missing:
        row = completed(missing[0], missing)
        if row is not None:
            rows.append(row)
        missing = [pair for pair in missing[1:] if row is None or not holds(row, pair)]
    return rows


ROWS = covering_array()


def yaml_of(settings, text):
    settings = dict(settings)
    model = MODELS[settings.pop("model", "transformer")]
    source = settings.pop("data", "synthetic")
    path = f", path: '{text}'" if source == "text" else ""
    lines = [f"model: {model}", f"data: {{source: {source}{path}, batch_size: 2}}"]
    sections = {}
    for key, value in settings.items():
        section, dot, name = key.partition(".")
        if value.startswith("{") and key in ("optimizer", "zero_grad"):
            sections.setdefault(key, []).append(value[1:-1])
        elif not dot:
            lines.append(f"{key}: {value}")
        else:
            sections.setdefault(section, []).append(f"{name}: {value}")
    if settings.get("autocast_cache") == "true":
        lines.remove("autocast_cache: true")  # the default, which is rejected where nothing is cast
    if settings.get("precision") == "fp16_autocast":
        # At this scale no step is skipped: a deep model's gradients overflow at the usual one.
        sections["grad_scaler"] = ["init_scale: 1.0"]
    sections.setdefault("backend", []).append("threads: 1")
    lines += [f"{section}: {{{', '.join(entries)}}}" for section, entries in sections.items()]
    return "\n".join([*lines, "schedule: {wait: 0, warmup: 1, active: 2}", "plugins: [allocator_tracer]"]) + "\n"


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("strata are layers of rock, one upon the other\n" * 40)
    return path


def test_every_possible_pair_of_values_is_in_a_row():
    print(f"{len(ROWS)} rows cover the pairs of {len(AXES)} axes")
    assert not any(broken_rules(row) for row in ROWS)
    impossible = [pair for pair in all_pairs(AXES) if not any(holds(row, pair) for row in ROWS)]
    assert all(completed(pair) is None for pair in impossible)
    # There are few: each value of one axis having a partner on every other axis keeps a rule from
    # forbidding too much.
    assert len(impossible) < 60, impossible


@pytest.mark.long
@pytest.mark.parametrize("row", range(len(ROWS)))
def test_a_row_trains(workspace, text, row):
    settings = ROWS[row]
    workspace.write("row.yaml", yaml_of(settings, text))
    result = workspace.strata("run", "row.yaml", "--out", "out", "--json")
    assert result.returncode == 0, f"{settings}\n{result.stderr}"
    summary = json.loads(result.stdout)
    assert len(summary["steps"]) == 3, settings
    assert summary["categories"]["Unknown"]["max"] == 0, settings
    losses = [loss for (loss,) in workspace.query("out", "SELECT loss FROM step ORDER BY step")]
    if settings["device"] == "cpu":
        assert all(0 < loss < 100 for loss in losses), f"{settings}: {losses}"
    (ran,) = workspace.query("out", "SELECT sum(optimizer_ran) FROM step")[0]
    assert ran == (3 if settings["mode"] == "train" else 0), settings
    if settings["save"] == "{}":
        return
    resume = f"resume={workspace.folder}/out/checkpoints/step_2.pt"
    result = workspace.strata("run", "row.yaml", "--out", "rest", resume, "save={}")
    assert result.returncode == 0, f"{settings}\n{result.stderr}"
    rest = workspace.query("rest", "SELECT step, loss FROM step")
    assert rest == [(2, losses[2])], settings


@pytest.mark.parametrize("axes", RULES, ids=" ".join)
def test_what_a_rule_forbids_is_refused(workspace, text, axes):
    forbids, says = RULES[axes]
    refused = 0
    for values in itertools.product(*(AXES[axis] for axis in axes)):
        if not forbids(*values):
            continue
        settings = dict(zip(axes, values))
        workspace.write("refused.yaml", yaml_of(settings, text))
        result = workspace.strata("run", "refused.yaml", "--out", "out")
        assert result.returncode == 2, f"{settings}\n{result.stderr}"
        assert says in result.stderr, f"{settings}\n{result.stderr}"
        refused += 1
    assert refused > 0
    assert not (workspace.folder / "out").exists()
