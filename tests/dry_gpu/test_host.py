# SPDX-License-Identifier: Apache-2.0
"""The host's trainer and a Python program, the same model operator for operator: on the same card
they allocate the same bytes, event by event, until training ends."""

import contextlib
import json
import sqlite3
import subprocess

import pytest

STEPS = 4
CONFIG = """\
model: {{size: custom, layers: {layers}, d_model: {d_model}, d_ff: {d_ff}, heads: {heads}, vocab: {vocab}, context: {context}}}
data: {{source: synthetic, batch_size: {batch}}}
optimizer: {{name: adamw}}
schedule: {{wait: 0, warmup: 1, active: 3}}
backend: {{threads: 1}}
plugins: [allocator_tracer]
"""

# The constants of strata/ext/memory.h, with the names of PyTorch's own trace.
ACTIONS = {1: "alloc", 2: "free_requested", 3: "segment_alloc", 4: "segment_free", 5: "oom"}
EVENTS = """
SELECT action, bytes FROM allocator_tracer_event
WHERE device_type = 2 AND sequence < (SELECT max(end_sequence) FROM step) ORDER BY sequence
"""

MODELS = {
    "small_blocks": ({"layers": 2, "d_model": 128, "d_ff": 384, "heads": 4, "vocab": 512, "context": 64}, 4),
    "large_blocks": ({"layers": 3, "d_model": 768, "d_ff": 2048, "heads": 12, "vocab": 10_000, "context": 512}, 4),
}


@pytest.mark.parametrize("model, batch", MODELS.values(), ids=MODELS.keys())
def test_allocate_alike(on_dry_gpu, strata, tmp_path, model, batch):
    (tmp_path / "host.yaml").write_text(CONFIG.format(**model, batch=batch))
    host = subprocess.run(
        [strata, "run", "host.yaml", "--dry", "h100-80gb", "--out", "out", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert host.returncode == 0, host.stderr
    steps = json.loads(host.stdout)["steps"]
    python = on_dry_gpu("host_transformer.py", json.dumps(model), str(batch), str(STEPS))
    assert [[step["peak_allocated_bytes"], step["peak_reserved_bytes"]] for step in steps] == python["peaks"]

    (store,) = (tmp_path / "out/rank0").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as database:
        events = [[ACTIONS[action], size] for action, size in database.execute(EVENTS)]
    assert len(events) > 1000
    assert events == python["events"]
