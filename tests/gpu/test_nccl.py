# SPDX-License-Identifier: Apache-2.0
"""Ranks over NCCL on real GPUs compute the same as one process with as many micro-batches."""

import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess

import pytest
import torch

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
RUN = """\
model: {name: gpt2, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
precision: fp64
device: cuda
schedule: {wait: 0, warmup: 1, active: 3}
plugins: [allocator_tracer]
"""

pytestmark = pytest.mark.skipif(
    torch.cuda.device_count() < 2, reason=f"needs 2 GPUs, this machine has {torch.cuda.device_count()}"
)


def run(folder, out, *overrides):
    (folder / "run.yaml").write_text(RUN)
    command = [STRATA, "run", "run.yaml", "--out", out, "--json", *overrides]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def losses(folder, out):
    (store,) = (folder / out / "rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        return [loss for (loss,) in database.execute("SELECT loss FROM step ORDER BY step")]


@pytest.mark.parametrize("view", ["false", "true"])
def test_two_ranks_compute_what_two_micro_batches_do(tmp_path, view):
    run(tmp_path, "alone", "accumulation=2")
    summary = run(tmp_path, "two", "world_size=2", f"ddp.gradient_as_bucket_view={view}")
    assert losses(tmp_path, "two") == pytest.approx(losses(tmp_path, "alone"), abs=1e-12)
    assert summary["categories"]["Unknown"]["max"] == 0
