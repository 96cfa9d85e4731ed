# SPDX-License-Identifier: Apache-2.0
"""Selects the build whose program the pages' commands run."""

import os
import pathlib

import pytest
from pages import REPOSITORY


@pytest.fixture(scope="session")
def build_folder():
    program = os.environ.get("STRATA")
    folder = pathlib.Path(program).resolve().parents[1] if program else REPOSITORY / "build/release"
    assert (folder / "bin/strata").is_file(), f"{folder} is no build folder: run ./dev build"
    return folder
