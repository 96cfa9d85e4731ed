# SPDX-License-Identifier: Apache-2.0
"""A memory budget as a unit test: `@pytest.mark.strata_max_memory("12 GiB", dry="a100-40gb")`.

The marked test runs in a separate process under `strata exec`, on a dry GPU if one is named. It fails if the program's peak memory exceeds the
budget, whatever it asserts itself.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import tempfile
from typing import Any, List, Optional

import pytest

from . import memory_test

_MARK = "strata_max_memory"
# In the separate process: the file to which it writes the test's result.
_REPORTS = "STRATA_PYTEST_REPORTS"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f'{_MARK}(budget, *, dry=None, device=None): runs the test in its own process, recorded by Strata, and fails it if more than '
        'budget ("12 GiB") was allocated at once; dry: a card of `strata devices`, which is simulated and computes nothing; device: "cpu", "cuda:1".',
    )
    if _REPORTS in os.environ:
        config.pluginmanager.register(memory_test.ReportWriter(pathlib.Path(os.environ[_REPORTS]), config))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: Optional[pytest.Item]) -> Optional[bool]:
    marker = item.get_closest_marker(_MARK)
    if marker is None or _REPORTS in os.environ:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _run(item, marker, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _run(item: pytest.Item, marker: pytest.Mark, nextitem: Optional[pytest.Item]) -> List[pytest.TestReport]:
    try:
        # Fixtures set up by earlier tests that the next test does not need.
        item.session._setupstate.teardown_exact(nextitem)
        wanted = memory_test.read_mark(marker)
    except Exception as error:
        return [memory_test.failed_report(item, "setup", f"{_MARK}: {error}")]
    folder = _make_folder(item.config)
    ran = memory_test.run_recorded(item, wanted, folder, {_REPORTS: str(folder / "reports")}, _plugin_words(item.config))
    reports = memory_test.judged_reports(item, wanted, folder, ran)
    if not any(report.failed for report in reports):
        shutil.rmtree(folder, ignore_errors=True)
    return reports


def _make_folder(config: pytest.Config) -> pathlib.Path:
    """Next to the tests' own tmp_path, of which pytest keeps the last few runs: a failure can be inspected."""
    factory: Any = getattr(config, "_tmp_path_factory", None)  # missing with -p no:tmpdir
    if factory is None:
        return pathlib.Path(tempfile.mkdtemp(prefix="strata-pytest-"))
    made: pathlib.Path = factory.mktemp("strata_max_memory")
    return made


def _plugin_words(config: pytest.Config) -> List[str]:
    """How the child process finds this plugin: automatically, if it is installed with its entry point."""
    name: Any = config.pluginmanager.get_name(sys.modules[__name__])
    return ["-p", __name__] if name == __name__ else []
