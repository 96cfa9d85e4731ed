# SPDX-License-Identifier: Apache-2.0
"""The build under test, and tools to inspect it."""

import os
import pathlib
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def repository():
    return REPOSITORY


@pytest.fixture(scope="session")
def build_folder():
    """The folder that bin/strata was built in: build/release, or that of the program in STRATA."""
    program = os.environ.get("STRATA")
    folder = pathlib.Path(program).resolve().parents[1] if program else REPOSITORY / "build/release"
    assert (folder / "build.ninja").is_file(), f"{folder} is no build folder: run ./dev build"
    return folder


@pytest.fixture(scope="session")
def needed_libraries():
    """A function that returns the names of the libraries that a shared object or program needs."""

    def needed(path):
        listing = subprocess.run(
            ["readelf", "--dynamic", "--wide", path], capture_output=True, text=True, check=True
        ).stdout
        return [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line]

    return needed
