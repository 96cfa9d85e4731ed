# SPDX-License-Identifier: Apache-2.0
"""The C++ optimizers compared with Python's, on gradients that the committed fixture does not have;
and that fixture compared with the current output of its script."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]


def make(file: Path, *arguments: str) -> Path:
    subprocess.run([sys.executable, HERE / "make_fixture.py", file, *arguments], check=True)
    return file


@pytest.fixture(scope="session")
def parts_test() -> Path:
    """The C++ test program, from the build that STRATA_BUILD_DIR names."""
    build = Path(os.environ.get("STRATA_BUILD_DIR", REPOSITORY / "build" / "release"))
    program = build / "tests" / "trainer_parts_test"
    assert program.exists(), f"{program} is not built: run ./dev build, or set STRATA_BUILD_DIR"
    return program


def test_cpp_computes_what_python_does(parts_test, tmp_path):
    fixture = make(tmp_path / "optimizers.pt", "--seed=1")
    environment = {**os.environ, "STRATA_OPTIMIZERS_FIXTURE": str(fixture)}
    result = subprocess.run(
        [parts_test, "--gtest_filter=Runs/OptimizerPeer.*"], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout
    assert "[  PASSED  ] 15 tests." in result.stdout


def tolerance_of(where: str) -> float:
    """Return the tolerance for results of another machine: products in bfloat16 (Muon), and the
    rounding that a full projection amplifies."""
    return 5e-2 if "/galore_full/" in where else 1e-3 if "/muon/" in where else 1e-5


def expect_same(actual, expected, where: str) -> None:
    if isinstance(expected, dict):
        assert list(actual) == list(expected), where
        for key in expected:
            expect_same(actual[key], expected[key], f"{where}/{key}")
    elif isinstance(expected, list):
        assert len(actual) == len(expected), where
        for i, value in enumerate(expected):
            expect_same(actual[i], value, f"{where}/{i}")
    elif isinstance(expected, torch.Tensor):
        tolerance = tolerance_of(where)
        assert (actual - expected).abs().max() <= tolerance * max(1, expected.abs().max()), where
    elif isinstance(expected, float):
        assert actual == pytest.approx(expected, rel=tolerance_of(where)), where
    else:
        assert actual == expected, where


def test_the_committed_fixture_is_what_the_script_makes(tmp_path):
    made = torch.load(make(tmp_path / "optimizers.pt"))
    expect_same(made, torch.load(REPOSITORY / "tests" / "data" / "optimizers.pt"), "")
