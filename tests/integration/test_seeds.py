# SPDX-License-Identifier: Apache-2.0
"""Every configuration in configs/seeds runs dry and gives the same bytes as before; those that fit
also run on the CPU.

Their peaks are in tests/data/seed_peaks.json. To keep the current peaks, after you have checked the
difference:

    STRATA_KEEP_PEAKS=1 python -m pytest tests/integration/test_seeds.py -m ""
"""

import json
import os

import pytest

from workspaces import REPOSITORY

FILE = REPOSITORY / "tests/data/seed_peaks.json"
PEAKS = json.loads(FILE.read_text()) if FILE.exists() else {}
SEEDS = sorted((REPOSITORY / "configs/seeds").glob("*.yaml"))
CARD = "h200"  # the largest of them fits
# Larger than the 24 GiB of a test machine.
TOO_LARGE_FOR_THE_CPU = {"001-cs336-2.7b", "004-nanugpt"}
# Half the steps, and a batch that a CPU can do in a minute; the shapes are the seed's.
FOR_THE_CPU = ["schedule={wait: 0, warmup: 0, active: 2}", "data.batch_size=1"]


def name(seed):
    return seed.stem


@pytest.mark.parametrize("seed", SEEDS, ids=name)
def test_it_runs_dry(workspace, seed):
    result = workspace.strata("run", seed, "--dry", CARD, "--out", "out", "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    peaks = [[step["peak_allocated_bytes"], step["peak_reserved_bytes"]] for step in summary["steps"]]
    assert summary["categories"]["Unknown"]["max"] == 0
    if os.environ.get("STRATA_KEEP_PEAKS"):
        kept = json.loads(FILE.read_text()) if FILE.exists() else {}
        kept[seed.stem] = peaks
        lines = (f'"{name}": {json.dumps(kept[name])}' for name in sorted(kept))
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    else:
        assert peaks == PEAKS[seed.stem]


@pytest.mark.long
@pytest.mark.parametrize("seed", [s for s in SEEDS if s.stem not in TOO_LARGE_FOR_THE_CPU], ids=name)
def test_it_runs_on_the_cpu(workspace, seed):
    result = workspace.strata("run", seed, "--out", "out", "--json", *FOR_THE_CPU)
    assert result.returncode == 0, result.stderr
    assert len(json.loads(result.stdout)["steps"]) == 2


def test_all_peaks_are_of_a_seed():
    assert set(PEAKS) == {seed.stem for seed in SEEDS}
