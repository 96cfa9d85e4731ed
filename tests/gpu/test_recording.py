# SPDX-License-Identifier: Apache-2.0
"""record.py with real PyTorch: on the dry GPU it can compare two cards that are not available."""

import json
import pathlib
import subprocess
import sys

import pytest
from parity_cases import HERE, SMALL_STEP
from parity_comparison import first_difference
from parity_recordings import STRATA


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    found = []
    for index, card in enumerate(("h100-80gb", "h100-80gb", "a100-80gb")):
        file = pathlib.Path(folder) / f"{index}.json"
        command = [STRATA, "exec", "--plugins", "none", "--dry", card, "--", sys.executable, HERE / "record.py", file, SMALL_STEP]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(file.read_text()))
    return found


def test_one_card_does_the_same_twice(recordings):
    one, again, _ = recordings
    assert one["device"] == "NVIDIA H100 80GB HBM3"
    assert one["error"] is None
    assert len(one["events"]) > 500
    assert one == again


def test_another_architecture_differs_in_the_workspace_of_cublas(recordings):
    h100, _, a100 = recordings
    difference = first_difference(h100["events"], a100["events"])
    assert difference.card[0] == "segment_alloc"
    assert difference.card[3] == 32 << 20, "4096 KiB eight times"
    assert difference.dry[3] < 32 << 20
