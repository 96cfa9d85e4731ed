# SPDX-License-Identifier: Apache-2.0
"""What tests of every folder have."""

import os
import pathlib
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")


@pytest.fixture(scope="session")
def python3():
    """The words that start a python3 which opens libraries of Strata's build itself, without `strata exec`."""
    preloading = STRATA.with_name("preloading_asan")  # of a build with AddressSanitizer (docs/sanitizers.md)
    return [str(preloading), sys.executable] if preloading.exists() else [sys.executable]
