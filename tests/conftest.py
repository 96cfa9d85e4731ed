# SPDX-License-Identifier: Apache-2.0
"""What tests of every folder have."""

import hashlib
import os
import pathlib
import sys
import time

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")

# Seconds since 1970, from CI: long tests that have not begun by then are skipped, with this reason.
UNTIL = float(os.environ.get("STRATA_TESTS_UNTIL", "inf"))
OUT_OF_TIME = "CI's time is over: STRATA_TESTS_UNTIL"


def pytest_collection_modifyitems(items):
    """Where time may run out, files of long tests come in another order for each commit, so that others are left out."""
    if UNTIL == float("inf"):
        return
    commit = os.environ.get("STRATA_TESTS_COMMIT", "")
    order = lambda item: hashlib.sha256(f"{commit} {item.path.name}".encode()).digest() if item.get_closest_marker("long") else b""
    items.sort(key=order)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if time.time() > UNTIL and item.get_closest_marker("long"):
        pytest.skip(OUT_OF_TIME)


@pytest.fixture(scope="session")
def python3():
    """The words that start a python3 which opens libraries of Strata's build itself, without `strata exec`."""
    preloading = STRATA.with_name("preloading_asan")  # of a build with AddressSanitizer (docs/sanitizers.md)
    return [str(preloading), sys.executable] if preloading.exists() else [sys.executable]
