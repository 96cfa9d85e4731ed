# SPDX-License-Identifier: Apache-2.0
"""The C++ classifiers compared with transformers' DistilBERT and torchvision's ResNets, whose
weights are too large to commit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]


@pytest.fixture(scope="module")
def peer_test() -> Path:
    """The C++ test program, from the build that STRATA_BUILD_DIR names."""
    build = Path(os.environ.get("STRATA_BUILD_DIR", REPOSITORY / "build" / "release"))
    program = build / "tests" / "trainer_parts_test"
    assert program.exists(), f"{program} is not built: run ./dev build, or set STRATA_BUILD_DIR"
    return program


@pytest.mark.parametrize(
    ("model", "tests"),
    [("distilbert", 6), ("resnet18", 3), pytest.param("resnet50", 3, marks=pytest.mark.long)],
)
def test_cpp_computes_what_python_does(model, tests, peer_test, tmp_path):
    fixture = tmp_path / "classifiers.pt"
    subprocess.run([sys.executable, HERE / "make_fixture.py", fixture, model], check=True)
    result = subprocess.run(
        [peer_test, f"--gtest_filter=*ClassifierPeer.*/{model}*"],
        env={**os.environ, "STRATA_CLASSIFIERS_FIXTURE": str(fixture)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"[  PASSED  ] {tests} tests." in result.stdout
