# SPDX-License-Identifier: Apache-2.0
"""The host's adapters compared with peft's on transformers' models, with bitsandbytes' weights in 4
bits. They have as many parameters, and the same losses from the same weights on the CPU. On a
device that computes nothing they have the same peaks, to the byte except for the differences that
adapter_cases.py explains. The host's weights in 4 bits equal bitsandbytes'.
"""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

import pytest
import torch
from adapter_cases import LOSSES, MEMORY, QUICK, QUICK_LOSSES, case, differences, yaml_of
from hash_weights import hashed_weight

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
CARD = "h100-80gb"
EXACT_BLOCKS = "expandable_segments:True"  # blocks as large as their tensors


PEFT_PROGRAM = (sys.executable, HERE / "peft_training.py")


@pytest.fixture(scope="module")
def peft_on_a_dry_card(conversation):
    with conversation(STRATA, "exec", "--plugins", "none", "--dry", CARD, "--", *PEFT_PROGRAM) as ask:
        yield lambda case: ask({**case, "device": "cuda", "allocator": EXACT_BLOCKS})


@pytest.fixture(scope="module")
def peft_on_the_cpu(conversation):
    with conversation(*PEFT_PROGRAM) as ask:
        yield lambda case, series: ask({**case, "device": "cpu", "series": series})


@pytest.fixture
def host_run(tmp_path):
    """A function that returns the summary of the host's run of a case."""

    def run(text, *options):
        (tmp_path / "case.yaml").write_text(text)
        result = subprocess.run(
            [STRATA, "run", "case.yaml", *options, "--out", "out", "--json"],
            cwd=tmp_path,
            env={**os.environ, "PYTORCH_ALLOC_CONF": EXACT_BLOCKS},
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def told(folder):
    return json.loads((folder / "out/manifest.json").read_text())["model"]


def saved_model(folder):
    (file,) = (folder / "out/checkpoints").glob("*.pt")
    return torch.load(file, weights_only=True)["model"]


def losses_of(folder):
    (store,) = (folder / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        return [loss for (loss,) in database.execute("SELECT loss FROM step ORDER BY step")]


def each_case(cases, quick):
    """Parametrize with the cases; those not in `quick` run with the long tests."""
    return pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in quick else pytest.mark.long) for name in cases])


@each_case(MEMORY, QUICK)
def test_parameters_and_peaks_are_pefts(host_run, peft_on_a_dry_card, tmp_path, name):
    summary = host_run(yaml_of(MEMORY[name]), "--dry", CARD)
    peft = peft_on_a_dry_card(MEMORY[name])
    assert (told(tmp_path)["parameters"], told(tmp_path)["trained_parameters"]) == (peft["parameters"], peft["trained"])
    explained = sum(differences(MEMORY[name]).values())
    steps = [step["peak_allocated_bytes"] for step in summary["steps"]]
    assert [peak + explained for peak in steps] == peft["allocated"]
    assert summary["peak"]["categories"]["Unknown"] == 0


# In bf16 a loss has 8 bits, and a different order of a sum may round it differently.
TOLERANCE = {"fp32": 1e-5, "bf16": 2e-2}


@each_case(LOSSES, QUICK_LOSSES)
def test_losses_are_pefts(host_run, peft_on_the_cpu, tmp_path, name):
    host_run(yaml_of(LOSSES[name], save={"at_end": True}))
    model = saved_model(tmp_path)
    parameters = [key for key in model if not key.rsplit(".", 1)[-1].endswith(("absmax", "quant_map", "offset", "inv_freq"))]
    peft = peft_on_the_cpu(LOSSES[name], series={key: number for number, key in enumerate(parameters)})
    ours = losses_of(tmp_path)
    assert ours == pytest.approx(peft["losses"], rel=TOLERANCE[LOSSES[name]["precision"]])
    assert ours[0] != pytest.approx(ours[2], rel=1e-4)  # training has an effect
    assert (told(tmp_path)["parameters"], told(tmp_path)["trained_parameters"]) == (peft["parameters"], peft["trained"])


@pytest.mark.parametrize("double", [False, True], ids=["scales in 32 bits", "scales in 8 bits"])
@pytest.mark.parametrize("width", [64, 44], ids=["whole blocks", "a part of a block"])
def test_weights_in_4_bits_are_bitsandbytes(host_run, tmp_path, double, width):
    import bitsandbytes

    sizes = {"layers": 1, "d_model": width, "d_ff": 3 * width // 2, "heads": 2, "vocab": 19}
    tiny = case("gpt2", sizes=sizes, precision="fp32", batch=1, context=4, hashed=True, base="nf4", double_quantization=double)
    host_run(yaml_of(tiny, save={"at_end": True}, schedule={"wait": 0, "warmup": 0, "active": 1}))
    model = saved_model(tmp_path)
    number = list(model).index("h.0.mlp.c_fc.weight")
    packed, state = bitsandbytes.functional.quantize_4bit(
        hashed_weight("h.0.mlp.c_fc.weight", (sizes["d_ff"], width), number), quant_type="nf4", compress_statistics=double
    )
    assert torch.equal(model["h.0.mlp.c_fc.weight"], packed)
    assert torch.equal(model["h.0.mlp.c_fc.quant_map"], state.code)
    if not double:
        return torch.testing.assert_close(model["h.0.mlp.c_fc.absmax"], state.absmax)
    torch.testing.assert_close(model["h.0.mlp.c_fc.nested_absmax"], state.state2.absmax)
    torch.testing.assert_close(model["h.0.mlp.c_fc.nested_offset"], state.offset)
    torch.testing.assert_close(model["h.0.mlp.c_fc.nested_quant_map"], state.state2.code)
    # Between two codes a scale may be rounded to either.
    assert (model["h.0.mlp.c_fc.absmax"].int() - state.absmax.int()).abs().max() <= 1
