# SPDX-License-Identifier: Apache-2.0
"""What every test of the program needs: a folder of its own, and a run that takes a second."""

import pytest
from workspaces import TINY, Workspace


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


@pytest.fixture
def tiny(workspace):
    """A workspace that holds tiny.yaml."""
    workspace.write("tiny.yaml", TINY)
    return workspace


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A workspace with one finished run in `out`, and what the program said."""
    workspace = Workspace(tmp_path_factory.mktemp("finished"))
    workspace.write("tiny.yaml", TINY)
    workspace.result = workspace.strata("run", "tiny.yaml", "--out", "out")
    return workspace
