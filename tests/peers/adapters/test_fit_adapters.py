# SPDX-License-Identifier: Apache-2.0
"""`strata fit -- python train.py {}` of a LoRA with peft, and of a QLoRA with bitsandbytes:
training with the largest batch that it names completes on the card, and with the next batch it does
not."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
PROGRAM = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import adapter_cases, peft_training
case = adapter_cases.case("llama", base=sys.argv[1], batch=int(sys.argv[2]))
peft_training.train({{**case, "device": "cuda", "allocator": ""}})
"""


def strata(folder, *words):
    return subprocess.run([STRATA, *words], cwd=folder, capture_output=True, text=True, timeout=600)


@pytest.mark.long
@pytest.mark.parametrize("base", ["bf16", "nf4"])
def test_the_largest_batch_trains_and_the_next_does_not(tmp_path, base):
    (tmp_path / "train.py").write_text(PROGRAM)
    program = [sys.executable, "train.py", base]
    found = strata(tmp_path, "fit", "--device", "t4", "--over", "32..512", "--step", "32", "--json", "--", *program, "{}")
    assert found.returncode == 0, found.stderr
    answer = json.loads(found.stdout)
    assert 32 <= answer["largest"] < answer["next"] == answer["largest"] + 32
    for batch, fits in ((answer["largest"], True), (answer["next"], False)):
        ended = strata(tmp_path, "exec", "--plugins", "none", "--dry", "t4", "--", *program, str(batch))
        assert (ended.returncode == 0, "OutOfMemoryError" in ended.stderr) == (fits, not fits), ended.stderr
