# SPDX-License-Identifier: Apache-2.0
"""Every test that docs/promises.md names exists."""

import dataclasses
import importlib.util
import re
import subprocess
import sys

import pytest

CPP = re.compile(r"`(\w+)\.(\w+|\*)`")
PYTHON = re.compile(r"\b(test_\w+\.py)(?:::(test_\w+))?")


def test_every_test_that_a_promise_names_is_there(repository):
    text = (repository / "docs/promises.md").read_text()
    sources = "\n".join(path.read_text() for path in (repository / "tests").rglob("*_test.cpp"))
    programs = {path.name: path.read_text() for path in (repository / "tests").rglob("test_*.py")}
    suites, files = set(CPP.findall(text)), set(PYTHON.findall(text))
    assert len(suites) >= 10 and len(files) >= 15
    missing = [f"{suite}.{name}" for suite, name in suites if not re.search(rf"\({suite},\s*{'' if name == '*' else name + chr(92) + 'b'}", sources) and suite != "store"]
    missing += [f"{file}::{test}" for file, test in files if file not in programs or (test and f"def {test}(" not in programs[file])]
    assert missing == []


@pytest.fixture
def promises(repository, monkeypatch):
    """The module tests/promises/run.py."""
    monkeypatch.syspath_prepend(repository / "tests/promises")
    spec = importlib.util.spec_from_file_location("promises_run", repository / "tests/promises/run.py")
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    yield run
    sys.modules.pop("mutations", None)


def test_what_a_mutation_replaces_stands_once_in_its_file(repository, promises):
    found = {each.name: (repository / each.file).read_text().count(each.replaced) for each in promises.MUTATIONS}
    assert {name: count for name, count in found.items() if count != 1} == {}
    assert [each.name for each in promises.MUTATIONS if each.by == each.replaced] == []
    assert len(found) == len(promises.MUTATIONS) == len({each.breaks for each in promises.MUTATIONS})


def test_every_test_that_a_mutation_names_is_there(repository, promises):
    sources = "\n".join(path.read_text() for path in (repository / "tests").rglob("*_test.cpp"))
    missing = []
    for test in {test for each in promises.MUTATIONS for test in each.tests}:
        if "::" in test:
            file, name = test.split("::")
            is_there = f"def {name}(" in (repository / file).read_text()
        else:
            suite, name = re.search(r"(\w+)\.(\w+)", test.split()[1]).groups()
            is_there = re.search(rf"\({suite},\s*{name}\b", sources)
        missing += [] if is_there else [test]
    assert missing == []


def rows_of(page):
    """Return the first and the last cell of each row of the page's own tables."""
    own = page.partition("## What was broken on purpose")[0]
    rows = [line.strip("|\n ").split(" | ") for line in own.splitlines() if line.startswith("| ")]
    return {row[0]: row[-1] for row in rows if row[0] not in ("", "when", "held by")}


def test_every_promise_was_broken_or_says_why_not(repository, promises):
    tried = [test.rpartition("/")[2] if "::" in test else re.search(r"\w+\.\w+", test.split()[1])[0] for each in promises.MUTATIONS for test in each.tests]

    def is_tried(cell):
        for file in re.findall(r"tests/\S+_test\.cpp", cell):  # all tests in the file
            cell += "".join(f" `{suite}.*`" for suite in re.findall(r"TEST(?:_\w)?\((\w+),", (repository / file).read_text()))
        suites = [f"{suite}." if name == "*" else f"{suite}.{name}" for suite, name in CPP.findall(cell)]
        files = [f"{file}::{test}" for file, test in PYTHON.findall(cell)]
        return any(test == name or (name.endswith((".", "::")) and test.startswith(name)) for name in suites + files for test in tried)

    rows = rows_of((repository / "docs/promises.md").read_text())
    assert len(rows) >= 25
    left = {row for row, cell in rows.items() if not is_tried(cell)}
    not_broken = sys.modules["mutations"].NOT_BROKEN
    assert left - not_broken.keys() == set(), "neither a mutation names a test of this row, nor does NOT_BROKEN say why none does"
    assert not_broken.keys() - left == set(), "NOT_BROKEN holds what is no row, or one that a mutation breaks"


def test_a_time_out_counts_where_it_is_said(promises, monkeypatch, tmp_path):
    """A process that outlives its test is ended, with the processes it started."""
    monkeypatch.setattr(promises, "TEST_SECONDS", 1)
    started = ["bash", "-c", f"sleep 600 & echo $! > {tmp_path}/pid; wait"]
    monkeypatch.setattr(promises, "passes", lambda test: promises.run_to_the_end(started, test))
    first = promises.MUTATIONS[0]
    with pytest.raises(promises.TimedOut, match="did not end within 1 s"):
        promises.is_noticed(dataclasses.replace(first, noticed_by_the_clock=False), "test")
    assert promises.is_noticed(dataclasses.replace(first, noticed_by_the_clock=True), "test")
    child = (tmp_path / "pid").read_text().strip()
    state = subprocess.run(["ps", "-o", "stat=", "-p", child], capture_output=True, text=True).stdout
    assert state == "" or state.startswith("Z")


def test_each_mutations_row_is_written_as_it_ends(promises, tmp_path):
    run = promises
    first, second = run.MUTATIONS[:2]
    page = tmp_path / "promises.md"
    page.write_text(f"before\n{run.BEGIN}| gone | test | 2026-01-01 |\n{run.END}after\n")
    run.record(second, True, page)
    run.record(first, True, page)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "gone" not in text
    assert text.index(first.breaks) < text.index(second.breaks) and f"2 of {len(run.MUTATIONS)} were noticed" in text
    run.record(second, False, page)
    assert second.breaks not in page.read_text() and first.breaks in page.read_text()
