# SPDX-License-Identifier: Apache-2.0
"""Runs one test with a memory budget in a separate process under `strata exec`, and judges it by the recording."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
from typing import Any, List, Mapping, Optional

import pytest

from . import native
from .budget import BudgetError, parse_check, parse_size
from .session_options import words_for_one_test

_OUTPUT_LINES = 40
_STRICT_PASS = "[XPASS(strict)]"  # written by pytest for a failure
_PYTESTS_EXIT_CODES = range(6)  # pytest.ExitCode; a plugin may return one of them for a session whose tests passed


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The arguments of the mark."""

    budget_bytes: int
    dry: Optional[str]
    device: Optional[str]


class ReportWriter:
    """In the test's own process: records the result of each phase of the test, and why its module could not be imported."""

    def __init__(self, file: pathlib.Path, config: pytest.Config) -> None:
        self._file = file
        self._config = config

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self._write(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._write(report)

    def _write(self, report: Any) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        with self._file.open("a") as lines:
            lines.write(json.dumps(data, default=str) + "\n")


def read_mark(marker: pytest.Mark) -> Wanted:
    """Raises BudgetError."""
    known = ("budget", "dry", "device")
    named = dict(zip(known[:1], marker.args), **marker.kwargs)
    unknown = [key for key in named if key not in known]
    if len(marker.args) > 1 or unknown or "budget" not in named:
        said = f"got {', '.join(map(repr, unknown))}" if unknown else f"got {len(marker.args)} positional arguments"
        raise BudgetError(f'expected (budget, dry=None, device=None), as in ("12 GiB", dry="a100-40gb"); {said}')
    for key in ("dry", "device"):
        if named.get(key) is not None and not isinstance(named[key], str):
            raise BudgetError(f"{key}={named[key]!r}: expected a string")
    return Wanted(parse_size(named["budget"]), named.get("dry"), named.get("device"))


def run_recorded(
    item: pytest.Item, wanted: Wanted, folder: pathlib.Path, variables: Mapping[str, str], words: List[str]
) -> "subprocess.CompletedProcess[str]":
    config = item.config
    test = f"{item.path}::{item.nodeid.split('::', 1)[1]}" if "::" in item.nodeid else str(item.path)
    pytest_words = [test, *words_for_one_test(config), *words, "-q", "--no-header", f"--rootdir={config.rootpath}", f"--capture={config.option.capture}"]
    if config.inipath is not None:
        pytest_words += ["-c", str(config.inipath)]
    if config.pluginmanager.hasplugin("xdist"):
        pytest_words += ["-n0"]  # this process runs the test of one worker
    command = [str(native.program()), "exec", "--out", str(folder / "run")]
    if wanted.dry is not None:
        command += ["--dry", wanted.dry]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_XDIST", "PYTEST_CURRENT_TEST", "PYTEST_ADDOPTS"))}
    environment.update(variables)
    return subprocess.run(
        [*command, "--", sys.executable, "-m", "pytest", *pytest_words],
        cwd=config.invocation_params.dir,
        env=environment,
        capture_output=config.option.capture != "no",
        text=True,
    )


def judged_reports(
    item: pytest.Item, wanted: Wanted, folder: pathlib.Path, ran: "subprocess.CompletedProcess[str]"
) -> List[pytest.TestReport]:
    reports = _read_reports(item, folder / "reports")
    called = next((report for report in reports if report.when == "call"), None)
    reason = _expected_to_fail(called)
    if called is not None and (called.passed or reason is not None):
        problem = _over_budget(wanted, folder / "run")
        if problem:
            called.outcome = "failed" if reason is None else "skipped"
            called.longrepr = problem
            if reason is not None:
                called.wasxfail = reason
    if not any(report.failed for report in reports):
        problem = _cut_short(reports, ran)
        if problem:
            reports.append(failed_report(item, "teardown" if called is not None else "call", problem))
    for report in reports:
        if report.failed and ran.stderr:
            report.sections.append(("stderr of the test's own process", _last_lines(ran.stderr)))
    return reports


def failed_report(item: pytest.Item, when: Any, text: str) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=item.nodeid, location=item.location, keywords={}, outcome="failed", longrepr=text, when=when
    )


def _expected_to_fail(called: Any) -> Optional[str]:
    """The reason of a test's xfail mark, if the test passed nevertheless."""
    if called is None or called.skipped:
        return None
    if called.failed:
        text = str(called.longrepr)
        return text[len(_STRICT_PASS) :].strip() if text.startswith(_STRICT_PASS) else None
    reason = getattr(called, "wasxfail", None)
    return None if reason is None else str(reason)


def _cut_short(reports: List[pytest.TestReport], ran: "subprocess.CompletedProcess[str]") -> Optional[str]:
    is_whole = any(report.when == "teardown" or report.skipped and report.when == "setup" for report in reports)
    if is_whole and ran.returncode in _PYTESTS_EXIT_CODES:
        return None
    where = "after" if is_whole else "in the middle of"
    return f"the test's own process ended with {ran.returncode} {where} the test:\n{_last_lines(ran.stdout or '')}"


def _last_lines(text: str) -> str:
    return "\n".join(text.splitlines()[-_OUTPUT_LINES:])


def _read_reports(item: pytest.Item, file: pathlib.Path) -> List[pytest.TestReport]:
    if not file.exists():
        return []
    reports = []
    for line in file.read_text().splitlines():
        report = item.config.hook.pytest_report_from_serializable(config=item.config, data=json.loads(line))
        if isinstance(report, pytest.CollectReport):
            report = _of_the_test(item, report)
        if isinstance(report.longrepr, list):  # the place and reason of a skip, a list in JSON
            report.longrepr = tuple(report.longrepr)
        report.nodeid, report.location = item.nodeid, item.location
        reports.append(report)
    return reports


def _of_the_test(item: pytest.Item, collected: pytest.CollectReport) -> pytest.TestReport:
    """The test's module was skipped or could not be imported in its own process, although it could here."""
    report = failed_report(item, "setup", "")
    report.outcome, report.longrepr = collected.outcome, collected.longrepr
    return report


def _over_budget(wanted: Wanted, run: pathlib.Path) -> Optional[str]:
    """Why the test fails; None if it does not."""
    if not (run / "summary.json").exists():
        return "strata_max_memory: nothing was recorded: the test allocated no memory with torch"
    words = ["report", str(run), "--budget", str(wanted.budget_bytes)]
    words += ["--device", wanted.device] if wanted.device is not None else []
    checked = native.run_program(*words, "--json")
    if checked.returncode not in (0, 4):
        return f"strata_max_memory: {checked.stderr.strip()}"
    check = parse_check(checked.stdout)
    if wanted.dry is not None and wanted.device is None and check["device"] == "cpu":
        return f"strata_max_memory: the test allocated nothing on the dry {wanted.dry}, only on the CPU; move the model there: .cuda()"
    return None if check["fits"] else "strata_max_memory: " + native.run_program(*words).stdout.rstrip()
