# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema accepts exactly the files that the program accepts."""

import json
import pathlib

import jsonschema
import pytest
import yaml

from workspaces import REPOSITORY, Workspace

VALID = [
    "model: {size: small}",
    "model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256}",
    "model: {size: small}\noptimizer: {name: sgd, momentum: 0.9}",
    "model: {size: small}\noptimizer: {beta1: 0.9}",
    "model: {size: small}\ntrace:\nplugins:",
    "model: {size: small}\nstore: {spool_bytes: 8 MiB}\nseed: 4096",
    "model: {size: small}\nplugins: []\nstrict: yes",
    "model: {size: small}\nschedule: {steps: 3-8}",
    "model: {size: small}\nschedule: {steps: 5, max_steps: 4}",
    "model: {size: small}\ndata: {source: text, path: /proc/self/exe, order: sequential}\nschedule: {epochs: 1}",
    "model: {size: small}\ndata: {workers: 4, prefetch: 8, pin_memory: false}",
    "model: {size: small}\nsave: {every: 100, at_end: true, keep: 2}\nresume: /proc/self/exe",
    "model: {name: distilbert}",
    "model: {name: resnet50, classes: 10}",
    "model: {name: gpt2, size: xl, dropout: 0.1, tied: false}",
    "model: {name: qwen, size: 0.5b, kv_heads: 7}",
    "model: {size: small}\ncheckpointing: block",
    "model: {size: small}\ncheckpointing: {every: 2, reentrant: true}",
    "model: {size: small}\ncheckpointing: {select: mlp}",
    "model: {size: small}\nprecision: fp16_autocast\nautocast_cache: false\ngrad_scaler: {init_scale: 8.0}",
]
INVALID = [
    "seed: 1",
    "model: small",
    "model: {size: tiny}",
    "model: {size: small, layers: 0}",
    "model: {size: small, layers: 1.5}",
    "model: {size: small}\nfrobnicate: 1",
    "model: {size: small}\noptimizer: {lr: high}",
    "model: {size: small}\noptimizer: {lr: -1.0}",
    "model: {size: small}\noptimizer: {beta1: 1.0}",
    "model: {size: small}\noptimizer: {momentum: 0.9}",
    "model: {size: small}\noptimizer: {name: sgd, beta1: 0.9}",
    "model: {size: small}\nprecision: fp8",
    "model: {name: llama}",
    "model: {name: resnet50, size: small}",
    "model: {size: small, dropout: 0.1}",
    "model: {size: small}\nautocast_cache: false",
    "model: {size: small}\nprecision: bf16_autocast\ngrad_scaler: {init_scale: 8.0}",
    "model: {size: small}\ncheckpointing: blocks",
    "model: {size: small}\ncheckpointing: {every: 0}",
    "model: {size: small}\ncheckpointing: {reentrant: true}",
    "model: {size: small}\ncheckpointing: {every: 2, select: mlp}",
    "model: {size: small}\nschedule: {epochs: -1}",
    "model: {size: small}\ndata: {order: sequential}",
    "model: {size: small}\ndata: {source: hash, path: /proc/self/exe}",
    "model: {size: small}\ndata: {workers: -1}",
    "model: {size: small}\ndata: {workers: 1, prefetch: 0}",
    "model: {size: small}\ndata: {pin_memory: 1}",
    "model: {size: small}\nschedule: {steps: 3-8, wait: 1}",
    "model: {size: small}\nschedule: {steps: three}",
    "model: {size: small}\ndata: {max_bytes: 4096}",
    "model: {size: small}\nsave: {every: -1}",
    "model: {size: small}\nsave: {at_end: 1}",
    "model: {size: small}\nmode: forward\nsave: {every: 1}",
    "model: {size: small}\nmode: forward\nresume: /proc/self/exe",
    "model: {size: small}\nresume: ''",
    "model: {size: small}\nstrict: 1",
    "model: {size: small}\nname: ../x",
    "model: {size: small}\nstore: {spool_bytes: 8 MB}",
    "model: {size: small}\nplugins: allocator_tracer",
    "model: {size: small}\nplugins: [{a: {}, b: {}}]",
]


@pytest.fixture(scope="module")
def validator(tmp_path_factory):
    text = Workspace(tmp_path_factory.mktemp("schema")).strata("run", "--json-schema").stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def accepted_by_program(workspace, text):
    """Whether the program would start the run. It can fail only because a folder is in the way of
    --out."""
    workspace.write("t.yaml", text)
    workspace.write("taken", "")
    result = workspace.strata("run", "t.yaml", "--out", "taken")
    assert result.returncode == 2
    return "taken is not a folder" in result.stderr


@pytest.mark.smoke
@pytest.mark.parametrize("text", VALID)
def test_valid(validator, workspace, text):
    assert [error.message for error in validator.iter_errors(yaml.safe_load(text))] == []
    assert accepted_by_program(workspace, text)


@pytest.mark.parametrize("text", INVALID)
def test_invalid(validator, workspace, text):
    assert list(validator.iter_errors(yaml.safe_load(text)))
    assert not accepted_by_program(workspace, text)


# The other folders have cards and grids, not runs.
NOT_RUNS = ("devices", "grids")
RUNS = sorted(path for path in (REPOSITORY / "configs").rglob("*.yaml") if path.parent.name not in NOT_RUNS)


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.name)
def test_our_configurations_are_valid(validator, path):
    assert [error.message for error in validator.iter_errors(yaml.safe_load(pathlib.Path(path).read_text()))] == []


def test_a_resolved_configuration_is_valid(validator, finished):
    resolved = yaml.safe_load((finished.folder / "out/config.yaml").read_text())
    assert [error.message for error in validator.iter_errors(resolved)] == []
