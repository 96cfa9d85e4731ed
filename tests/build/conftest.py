# SPDX-License-Identifier: Apache-2.0
"""The build that is tested, and the tools to look at it with."""

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
    """Where bin/strata was built: build/release, or what STRATA, the path of another one, says."""
    program = os.environ.get("STRATA")
    folder = pathlib.Path(program).resolve().parents[1] if program else REPOSITORY / "build/release"
    assert (folder / "build.ninja").is_file(), f"{folder} is no build folder: run ./dev build"
    return folder


@pytest.fixture(scope="session")
def needed_libraries():
    """A function: the names of the libraries that a shared object or program asks the loader for."""

    def needed(path):
        listing = subprocess.run(
            ["readelf", "--dynamic", "--wide", path], capture_output=True, text=True, check=True
        ).stdout
        return [line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line]

    return needed
