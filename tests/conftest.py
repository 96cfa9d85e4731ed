# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of every folder."""

import hashlib
import os
import pathlib
import sys
import time

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
STRATA = pathlib.Path(os.environ.get("STRATA") or REPOSITORY / "build/release/bin/strata")

# Seconds since 1970, set by CI: long tests that have not begun by then are skipped, with this
# reason.
UNTIL = float(os.environ.get("STRATA_TESTS_UNTIL", "inf"))
OUT_OF_TIME = "CI's time is over: STRATA_TESTS_UNTIL"


def pytest_collection_modifyitems(items):
    """If time is limited, order the files of long tests differently for each commit, so that the
    same ones are not always left out."""
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
    """The command of a python3 that itself opens libraries of Strata's build, without `strata
    exec`."""
    preloading = STRATA.with_name("preloading_asan")  # exists in a build with AddressSanitizer (tests/sanitizers/README.md)
    return [str(preloading), sys.executable] if preloading.exists() else [sys.executable]
