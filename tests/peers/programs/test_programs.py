# SPDX-License-Identifier: Apache-2.0
"""Programs of common training libraries under `strata exec`: they behave as without it, and their
memory is known to the byte."""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys

import programs
import pytest

STRATA = os.environ.get("STRATA") or str(pathlib.Path(__file__).resolve().parents[3] / "build/release/bin/strata")
PACKAGE = pathlib.Path(STRATA).resolve().parents[1] / "lib/strata/python"
STEPS = {"transformers": 3, "lightning": 3, "accelerate": 3}
DEVICES = {"cpu": [], "cuda": ["--dry", "h100-80gb"]}
QUIET = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "TOKENIZERS_PARALLELISM": "false"}

# The libraries' imports take most of the time: one library on each device in every test run, the
# others in the long tests.
ALWAYS = [("transformers", "cuda"), ("torchvision", "cpu")]
CASES = [
    pytest.param(name, device, marks=[] if (name, device) in ALWAYS else [pytest.mark.long])
    for name in programs.PROGRAMS
    for device in DEVICES
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A function that returns the folder of a program's run and its output, with Strata or without,
    unchanged or attached; each runs once."""
    known = {}

    def once(name, device, *how, attached=False):
        if (name, device, how, attached) not in known:
            folder = tmp_path_factory.mktemp(name)
            text = programs.PROGRAMS[name]
            (folder / "program.py").write_text(programs.attached(text) if attached else text)
            before = [STRATA, "exec", *DEVICES[device], *how, "--"] if how or DEVICES[device] else []
            result = subprocess.run(
                [*before, sys.executable, "program.py", device],
                cwd=folder,
                env={**os.environ, **QUIET, "PYTHONPATH": str(PACKAGE)},
                capture_output=True,
                text=True,
                timeout=500,
            )
            assert result.returncode == 0, result.stderr
            known[name, device, how, attached] = folder, result.stdout
        return known[name, device, how, attached]

    return once


@pytest.mark.parametrize(("name", "device"), CASES)
def test_a_program_of_others(run, name, device):
    check(run, name, device, 0.05)


@pytest.mark.parametrize(("name", "device"), [pytest.param(*case.values, marks=pytest.mark.long) for case in CASES])
def test_a_program_of_others_with_attach(run, name, device):
    folder = check(run, name, device, 0.01, attached=True)
    [store] = (folder / "out/rank0").glob("*.sqlite")
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM host_module_begin").fetchone()[0] > 0, "layers, which attach alone gives"


def check(run, name, device, most_unknown, **how):
    """Check the run's summary, and that the program prints the same as without Strata; return the
    run's folder."""
    folder, said = run(name, device, "--out", "out", **how)
    bare = run(name, device, *(["--plugins", "none"] if DEVICES[device] else []))[1]
    assert said == bare
    summary = json.loads((folder / "out/summary.json").read_text())
    peak = summary["peak"]["allocated_bytes"]
    if device == "cuda":
        assert f"peak {peak}" in said.splitlines()
    assert len(summary["steps"]) == STEPS.get(name, 3), summary["steps"]
    unknown = summary["categories"].get("Unknown", {"max": 0})["max"]
    assert unknown <= most_unknown * peak, {kind: values["max"] for kind, values in summary["categories"].items()}
    for kind in ("Parameter", "Optimizer_State", "Activation", "Gradient"):
        assert summary["categories"][kind]["max"] > 0
    return folder
