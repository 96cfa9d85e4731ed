# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the program's tests: a folder for each test, and a run that takes a second."""

import pytest
from workspaces import TINY, Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


@pytest.fixture
def tiny(workspace):
    """A workspace that contains tiny.yaml."""
    workspace.write("tiny.yaml", TINY)
    return workspace


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A workspace with a finished run in `out`, and the program's output."""
    workspace = Workspace(tmp_path_factory.mktemp("finished"))
    workspace.write("tiny.yaml", TINY)
    workspace.result = workspace.strata("run", "tiny.yaml", "--out", "out")
    return workspace
