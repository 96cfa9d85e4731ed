# SPDX-License-Identifier: Apache-2.0
"""Each number of `strata advise` equals, to the byte, the peak of the program with that change in
its source; and answers of `strata fit` are compared with whole runs.

A program's last argument selects its change: programs/by_hand.py.
"""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
AT_START = REPOSITORY / "python/strata_profiler/trial/at_start"
CARD = "h100-80gb"
ROOM = "512GiB"

pytestmark = pytest.mark.long

NAMES = {
    "checkpoint": "checkpoint every block",
    "checkpoint2": "checkpoint 2 blocks in one",
    "checkpoint4": "checkpoint 4 blocks in one",
    "no_grad": "no_grad where no backward comes",
    "offload": "saved tensors on the host",
    "each": "a backward for each loss",
    "fused": "a fused optimizer",
    "foreach": "a foreach optimizer",
    "loop": "an optimizer loop",
    "adam8bit": "8-bit Adam",
    "adafactor": "Adafactor",
    "none": "gradients set to none",
    "view": "gradients as bucket views",
    "sync": "FSDP reduces each micro-batch",
    "sdpa": "attention in one kernel",
    "pieces": "cross_entropy in 8 pieces",
    "half": "half the batch, accumulated",
    "quarter": "a quarter of it, accumulated",
    "empty_before_backward": "empty_cache before backward",
    "empty_before_step": "empty_cache before the step",
    "bf16": "bf16 autocast",
    "fp16": "fp16 autocast",
    "nocache": "no cache of casts",
}
PARTS = "half quarter"
FORMATS = "bf16 fp16"
BLOCKS = "checkpoint checkpoint2 checkpoint4"
ADAM = "fused loop adam8bit adafactor"
EMPTY = "empty_before_backward empty_before_step"

# Each program's command line, and the changes to compare.
PROGRAMS = {
    "guide": ("guide.py 16 1", f"{BLOCKS} {PARTS} {FORMATS} {ADAM} {EMPTY} offload pieces"),
    "perceptron": ("perceptron.py", f"{BLOCKS} {PARTS} {FORMATS} {EMPTY} fused loop offload pieces"),
    "module list": ("module_list.py", f"{BLOCKS} {PARTS} {FORMATS} fused loop offload"),
    "keeps gradients": ("keeps_gradients.py", f"{BLOCKS} {PARTS} {FORMATS} foreach loop offload none"),
    "one backward": ("one_backward.py", f"{BLOCKS} {PARTS} {FORMATS} foreach loop offload each"),
    "cached casts": ("cached_casts.py", "nocache"),
    "sharded": ("sharded.py", "sync"),
    "bucket copies": ("bucket_copies.py", f"view {PARTS}"),
    "GPT-2, Trainer": ("gpt2_trainer.py", f"checkpoint sdpa {PARTS} {FORMATS} foreach loop adam8bit adafactor"),
    "ViT, DataLoader": ("vit.py", f"checkpoint sdpa {PARTS} {FORMATS} {ADAM} {EMPTY} offload pieces"),
    "U-Net": ("unet.py", f"checkpoint {PARTS} {FORMATS} {ADAM} {EMPTY} offload"),
    "BERT that evaluates": ("bert.py", f"checkpoint no_grad {PARTS} {FORMATS} {ADAM} offload"),
    "LSTM": ("lstm.py", f"{PARTS} {FORMATS} {ADAM} {EMPTY} offload pieces"),
    "LoRA": ("lora.py small", f"checkpoint {PARTS} {ADAM} {EMPTY} offload"),
    "GAN": ("gan.py", f"{PARTS} {FORMATS} {ADAM}"),
    "Lightning": ("lightning_mlp.py", f"{BLOCKS} {PARTS} {FORMATS} {ADAM} offload"),
    "accelerate": ("accelerate_mlp.py", f"{PARTS} {FORMATS} {ADAM}"),
}


# All programs take half an hour.
ALWAYS = ("perceptron", "GPT-2, Trainer", "BERT that evaluates")


def needs_all(program):
    if program not in ALWAYS and os.environ.get("STRATA_BY_HAND") != "all":
        pytest.skip(f"{program}: with STRATA_BY_HAND=all")


def command(words, how):
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1"] if words.startswith("bucket_copies") else []
    name, *others = words.split()
    return [sys.executable, *torchrun, str(HERE / "programs" / name), *others, how]


def strata(*words, **environment):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", **environment}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([STRATA, *words], cwd=folder, env=environment, capture_output=True, text=True)


@functools.lru_cache(maxsize=None)
def advice(words, device=CARD, memory=ROOM):
    result = strata("advise", "--device", device, "--device-memory", memory, "--json", "--", *command(words, "base"))
    assert result.returncode in (0, 3, 4), result.stderr
    return json.loads(result.stdout)


def advised(words, name, **card):
    found = advice(words, **card)
    return next((each for each in found["alone"] if each["changes"][0]["name"] == name), None)


def peak(words, how):
    """Return the peak up to the optimizer's second step, where trials end."""
    with tempfile.TemporaryDirectory() as out:
        place = os.path.join(out, "run")
        result = strata(
            *("exec", "--plugins", "allocator_tracer", "--dry", CARD, "--device-memory", ROOM, "--out", place, "--"),
            *command(words, how),
            PYTHONPATH=str(AT_START),
            STRATA_TRIAL_STEPS="2",
        )
        assert result.returncode == 0, result.stderr
        found = [json.loads(file.read_text())["peak"] for file in pathlib.Path(place).rglob("summary.json")]
        return max(each["allocated_bytes"] for each in found if each)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_as_it_is(program):
    needs_all(program)
    words, _ = PROGRAMS[program]
    assert advice(words)["base"]["allocated_bytes"] == peak(words, "base")


@pytest.mark.parametrize(("program", "how"), [(program, how) for program, (_, all_) in PROGRAMS.items() for how in all_.split()])
def test_equals_the_change_made_by_hand(program, how):
    needs_all(program)
    words, _ = PROGRAMS[program]
    tried = advised(words, NAMES[how])
    assert tried is not None, [each for each in advice(words)["refused"] if each["name"] == NAMES[how]]
    assert tried["allocated_bytes"] == peak(words, how), tried["changes"][0]["write"]


REFUSED = {
    ("U-Net", "checkpoint2"): "the input of",
    ("ViT, DataLoader", "each"): "each backward goes through one forward",
    ("LSTM", "checkpoint"): "no module contains repeated blocks",
    ("perceptron", "adam8bit"): "the optimizer is not PyTorch's Adam or AdamW",
    ("sharded", "checkpoint2"): "is not only the output of the previous block",
    ("sharded", "view"): "no DistributedDataParallel copies gradients",
    ("guide", "sync"): "no FSDP keeps whole gradients",
    ("guide", "sdpa"): "no attention is written out",
    ("guide", "nocache"): "no autocast caches casts",
    ("GPT-2, Trainer", "fused"): "the optimizer already is one",
}


@pytest.mark.parametrize(("program", "how"), REFUSED)
def test_what_cannot_be_made_has_a_reason(program, how):
    needs_all(program)
    words, _ = PROGRAMS[program]
    reasons = {each["name"]: each["reason"] for each in advice(words)["refused"]}
    assert REFUSED[program, how] in reasons[NAMES[how]]


@pytest.mark.parametrize("memory", ["24GiB", "9GiB"])
@pytest.mark.parametrize("how", "base checkpoint checkpoint4 half quarter bf16 adam8bit pieces".split())
def test_fits_where_the_program_by_hand_ends_well(how, memory):
    words, card = "guide.py 288 1", {"device": "rtx-4090", "memory": memory}
    tried = advice(words, **card)["base"] if how == "base" else advised(words, NAMES[how], **card)
    result = strata("exec", "--plugins", "none", "--dry", "rtx-4090", "--device-memory", memory, "--", *command(words, how))
    assert result.returncode == 0 or "OutOfMemoryError" in result.stderr, result.stderr
    assert tried["fits"] == (result.returncode == 0)
