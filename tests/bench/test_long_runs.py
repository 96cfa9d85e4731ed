# SPDX-License-Identifier: Apache-2.0
"""Runs of several days stay small: a short pass of bench/long_runs.py."""

import json
import pathlib
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_long_run_stays_within_its_size():
    done = subprocess.run([REPOSITORY / "bench/long_runs.py", "--short", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["events"]["thinned_steps"] > 0
