# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the Python package's tests: the package, and a folder in which programs run that
import it."""

import sys

import pytest
from program_folder import PACKAGE, ProgramFolder

if str(PACKAGE) not in sys.path:
    sys.path.insert(0, str(PACKAGE))


@pytest.fixture
def programs(tmp_path):
    return ProgramFolder(tmp_path)


@pytest.fixture(scope="module")
def module_programs(tmp_path_factory):
    return ProgramFolder(tmp_path_factory.mktemp("programs"))
