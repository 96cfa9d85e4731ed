# SPDX-License-Identifier: Apache-2.0
"""An installed Strata, away from where it was built."""

import pytest
from installed_strata import BUILD, run


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """Installed, then moved: no path of either place can be of use."""
    folder = tmp_path_factory.mktemp("installation")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """The folder that the .deb and the tarball lie in."""
    folder = tmp_path_factory.mktemp("packages")
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    return folder
