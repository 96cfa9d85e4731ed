# SPDX-License-Identifier: Apache-2.0
"""The owner of each byte, by torch.profiler's categories and by Strata's, compared with the
storages themselves.

Models with the same bytes in the host and in Python (profiled_cases.py), at moments of a step on
the CPU. Strata must not have a single byte in the wrong row. torch.profiler is known to have many:
each case shows one of its failures, and fails once torch has fixed it.
"""

import functools
import os
import pathlib
import subprocess
import sys

import pytest
import report_page
from profiled_cases import CASES, EXPLAINED, MOMENTS, ROWS, explained, misattributed, yaml_of

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[2]
STRATA = os.environ.get("STRATA") or str(REPOSITORY / "build/release/bin/strata")


@pytest.fixture(scope="module")
def python(conversation):
    """A function that returns, for each moment of a case, the true bytes of each row and
    torch.profiler's."""
    with conversation(sys.executable, HERE / "train.py") as ask:
        yield functools.cache(lambda name: ask(CASES[name].settings))


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A function that returns, for each moment of a case, Strata's bytes of each category."""

    @functools.cache
    def run(name):
        folder = tmp_path_factory.mktemp("host")
        (folder / "case.yaml").write_text(yaml_of(CASES[name].settings))
        result = subprocess.run([STRATA, "run", "case.yaml", "--out", "out"], cwd=folder, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return report_page.Page((folder / "out/report.html").read_text()).moments()

    return run


def with_what_is_explained(ours, settings, moment):
    """Return the rows that the host would have with the explained tensors of Python's program."""
    rows = dict(ours)
    for difference in explained(settings, moment):
        rows[difference.row] += difference.bytes
    return rows


def table(name, moment, true, said, ours):
    lines = [f"{name}: {moment}", f"  {'bytes':18}{'true':>14}{'torch.profiler':>16}{'ours':>14}"]
    lines += [f"  {row:18}{true[row]:>14,}{said[row]:>16,}{ours[row]:>14,}" for row in ROWS]
    wrong = misattributed(said, true), misattributed(ours, true)
    return "\n".join([*lines, f"  {'misattributed':18}{0:>14,}{wrong[0]:>16,}{wrong[1]:>14,}"])


def marked(names):
    return [pytest.param(name, marks=[] if CASES[name].is_quick else pytest.mark.long) for name in names]


each_case = pytest.mark.parametrize("name", marked(CASES))


@each_case
def test_not_one_byte_of_ours_is_misattributed(python, host, name):
    true, said, ours = python(name)["true"], python(name)["said"], host(name)
    assert set(true) == set(ours) and set(true) <= set(MOMENTS)
    for moment in true:
        rows = with_what_is_explained(report_page.rows_of(ours[moment]), CASES[name].settings, moment)
        print(table(name, moment, true[moment], said[moment], rows))
        assert rows == true[moment], moment
        assert misattributed(rows, true[moment]) == 0


def without_onednn(names):
    """Return the cases without oneDNN, because its reordering depends on the processor."""
    return [name for name in names if not CASES[name].settings["onednn"]]


@pytest.mark.parametrize("name", marked(without_onednn(CASES)))
def test_the_document_has_these_numbers(python, host, name):
    case, rows = CASES[name], (REPOSITORY / "docs/categories.md").read_text().splitlines()
    true, said = python(name)["true"][case.moment], python(name)["said"][case.moment]
    ours = with_what_is_explained(report_page.rows_of(host(name)[case.moment]), case.settings, case.moment)
    wrong = misattributed(said, true), misattributed(ours, true)
    assert f"| {name} | {case.moment} | {sum(true.values()):,} | {wrong[0]:,} | {wrong[1]:,} | {case.failure} |" in rows


@each_case
def test_torch_profiler_fails_as_it_is_known_to(python, name):
    case = CASES[name]
    said, true = python(name)["said"][case.moment], python(name)["true"][case.moment]
    assert case.shows(said, true), f"torch has mended it, or broken it otherwise: {case.failure}\nsaid {said}\ntrue {true}"
    assert misattributed(said, true) > 0


def test_every_explanation_is_of_some_case():
    used = [part for case in CASES.values() for moment in MOMENTS for part in explained(case.settings, moment)]
    assert all(part in used for part in EXPLAINED)
