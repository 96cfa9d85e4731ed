# SPDX-License-Identifier: Apache-2.0
"""Runs that the program itself records, for tests of whole pages."""

import os
import pathlib
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")

TINY = """\
model: {size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 2, vocab: 256, context: 32}
data: {source: synthetic, batch_size: 2}
schedule: {wait: 0, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer, cupti_timeline, nvtx_markers, warmup_analyzer]
"""


def strata(folder, *words):
    return subprocess.run([STRATA, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300)


def record(folder, *words):
    (folder / "tiny.yaml").write_text(TINY)
    done = strata(folder, "run", "tiny.yaml", "--out", "out", *words)
    assert done.returncode == 0, done.stderr
    return folder / "out"
