# SPDX-License-Identifier: Apache-2.0
"""The C++ models compared with transformers', on the committed fixture's sizes and on others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
COMMITTED = REPOSITORY / "tests/data/language_models.pt"


def make_fixture(file: Path, *sizes: str) -> None:
    subprocess.run([sys.executable, HERE / "make_fixture.py", file, *sizes], check=True)


def tensors_of(values: dict, path: str = "") -> dict:
    """Return all tensors and numbers below, by their path."""
    found = {}
    for key, value in values.items():
        found |= tensors_of(value, f"{path}/{key}") if isinstance(value, dict) else {f"{path}/{key}": value}
    return found


@pytest.fixture(scope="module")
def peer_test() -> Path:
    """The C++ test program, from the build that STRATA_BUILD_DIR names."""
    build = Path(os.environ.get("STRATA_BUILD_DIR", REPOSITORY / "build" / "release"))
    program = build / "tests" / "trainer_parts_test"
    assert program.exists(), f"{program} is not built: run ./dev build, or set STRATA_BUILD_DIR"
    return program


def test_the_script_makes_what_the_file_holds(tmp_path):
    make_fixture(tmp_path / "again.pt")
    again, committed = (tensors_of(torch.load(file)) for file in (tmp_path / "again.pt", COMMITTED))
    assert again.keys() == committed.keys()
    assert len(again) > 100
    for path, value in committed.items():
        # Another processor may sum in another order.
        torch.testing.assert_close(again[path], value, rtol=1e-4, atol=1e-5, msg=lambda text: f"{path}: {text}")


@pytest.mark.parametrize(
    "sizes",
    [
        ["--layers=1", "--d-model=8", "--d-ff=12", "--heads=1", "--kv-heads=1", "--vocab=17", "--context=5", "--seed=1"],
        ["--layers=3", "--d-model=48", "--d-ff=104", "--heads=6", "--kv-heads=3", "--vocab=300", "--context=33", "--seed=2"],
    ],
    ids=["one head", "three layers"],
)
def test_cpp_computes_what_transformers_does(sizes, peer_test, tmp_path):
    fixture = tmp_path / "language_models.pt"
    make_fixture(fixture, *sizes)
    result = subprocess.run(
        [peer_test, "--gtest_filter=*LanguageModelPeer.*"],
        env={**os.environ, "STRATA_LANGUAGE_MODELS_FIXTURE": str(fixture)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    assert "[  PASSED  ] 12 tests." in result.stdout
