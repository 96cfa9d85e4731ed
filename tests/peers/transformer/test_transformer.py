# SPDX-License-Identifier: Apache-2.0
"""The C++ transformer compared with the Python one, on sizes that the committed fixture does not
have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]


@pytest.fixture(scope="session")
def peer_test() -> Path:
    """The C++ test program, from the build that STRATA_BUILD_DIR names."""
    build = Path(os.environ.get("STRATA_BUILD_DIR", REPOSITORY / "build" / "release"))
    program = build / "tests" / "trainer_parts_test"
    assert program.exists(), f"{program} is not built: run ./dev build, or set STRATA_BUILD_DIR"
    return program


@pytest.mark.parametrize(
    "sizes",
    [
        ["--layers=1", "--d-model=16", "--d-ff=24", "--heads=1", "--vocab=17", "--context=5", "--seed=1"],
        ["--layers=3", "--d-model=40", "--d-ff=104", "--heads=5", "--vocab=300", "--context=33", "--seed=2"],
    ],
    ids=["one head", "three layers"],
)
def test_cpp_computes_what_python_does(sizes, peer_test, tmp_path):
    fixture = tmp_path / "transformer.pt"
    subprocess.run([sys.executable, HERE / "make_fixture.py", fixture, *sizes], check=True)
    environment = {**os.environ, "STRATA_TRANSFORMER_FIXTURE": str(fixture)}
    result = subprocess.run(
        [peer_test, "--gtest_filter=TransformerPeer.*"], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout
    assert "[  PASSED  ] 7 tests." in result.stdout
