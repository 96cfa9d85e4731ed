# SPDX-License-Identifier: Apache-2.0
"""An installed Strata, away from its build folder."""

import pytest
from installed_strata import BUILD, run


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """Install, then move: no path of either place works any more."""
    folder = tmp_path_factory.mktemp("installation")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """The folder that contains the .deb and the tarball."""
    folder = tmp_path_factory.mktemp("packages")
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    return folder
