# SPDX-License-Identifier: Apache-2.0
"""Write tests/data/dry_peaks.json, the reference of test_dry_run.py. Check the difference before
you keep it.

    python tests/integration/keep_dry_peaks.py
"""

import json
import os
import pathlib
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")
FILE = REPOSITORY / "tests/data/dry_peaks.json"

CONFIG = """\
model: {size: custom, layers: 2, d_model: 128, d_ff: 384, heads: 4, vocab: 512, context: 64}
data: {source: synthetic, batch_size: 4}
optimizer: {name: adamw}
schedule: {wait: 1, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""

# Overrides of CONFIG. `wide` has blocks of several MiB, which the allocator splits differently.
RUNS = {
    "small": [],
    "accumulated": ["accumulation=2", "zero_grad.set_to_none=false", "optimizer.name=sgd", "optimizer.momentum=0.9"],
    "wide": ["model.d_model=768", "model.d_ff=3072", "model.heads=12", "model.vocab=10000", "model.context=256"],
}

# CUDA 13 generates no code for compute capability 7.0, so kernels that torch compiles at run time
# fail, as on a real V100.
TOO_OLD = {"v100"}


def peaks(summary):
    """Return [allocated, reserved] of each step, in bytes."""
    return [[step["peak_allocated_bytes"], step["peak_reserved_bytes"]] for step in summary["steps"]]


def run(folder, profile, overrides):
    config = pathlib.Path(folder) / "run.yaml"
    config.write_text(CONFIG)
    out = pathlib.Path(folder) / f"out-{len(list(pathlib.Path(folder).iterdir()))}"
    command = [STRATA, "run", str(config), "--dry", profile, "--json", "--out", str(out), *overrides]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def main():
    profiles = sorted(path.stem for path in (REPOSITORY / "configs/devices").glob("*.yaml") if path.stem not in TOO_OLD)
    kept = {}
    with tempfile.TemporaryDirectory() as folder:
        for profile in profiles:
            kept[profile] = {name: peaks(run(folder, profile, overrides)) for name, overrides in RUNS.items()}
            print(profile, kept[profile], flush=True)
    lines = ",\n".join(f' "{profile}": {json.dumps(runs)}' for profile, runs in kept.items())
    FILE.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
