# SPDX-License-Identifier: Apache-2.0
"""Pages of runs whose stores lack tables or are cut: the page says what is missing, or an error
does. No page is left half written."""

import contextlib
import random
import shutil
import sqlite3

import pytest
from recorded import record, strata


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return record(tmp_path_factory.mktemp("damaged"))


def copy_of(run, folder):
    shutil.copytree(run, folder / "out")
    (folder / "out" / "report.html").unlink()
    (store,) = (folder / "out" / "rank0").glob("*.sqlite")
    return store


def tables(store):
    with contextlib.closing(sqlite3.connect(store)) as database:
        return [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]


def check(folder):
    """Check the result: a whole page, or one line that says why there is none."""
    done = strata(folder, "report", "out")
    page = folder / "out" / "report.html"
    assert done.returncode in (0, 1, 2), (done.returncode, done.stderr)
    if done.returncode == 0:
        assert page.read_text().rstrip().endswith("</html>")
    else:
        assert done.stderr.startswith("strata: ") and len(done.stderr.strip().splitlines()) <= 3, done.stderr
        assert not page.exists()
    assert sorted(path.name for path in (folder / "out").glob("report*")) == (["report.html"] if done.returncode == 0 else [])
    return done, page


def test_each_table_dropped_is_told_and_the_page_renders(browser, run, tmp_path):
    rendered = 0
    for table in tables(copy_of(run, tmp_path / "first")):
        folder = tmp_path / table
        folder.mkdir()
        store = copy_of(run, folder)
        with contextlib.closing(sqlite3.connect(store)) as database, database:
            database.execute(f'DROP TABLE "{table}"')
        done, page = check(folder)
        if done.returncode != 0:
            assert table in done.stderr or str(store.name) in done.stderr, done.stderr
            continue
        browser.open(page)
        assert browser.console_errors() == [], table
        assert browser.run("return document.body.dataset.ready") == "drawn", table
        rendered += 1
        if table in ("allocator_tracer_event", "host_phase_begin", "host_tensor", "host_module_begin", "allocator_tracer_op"):
            assert table in browser.run("return document.body.textContent"), table
    assert rendered > 10


def test_a_run_without_plugins_says_what_is_missing(browser, tmp_path):
    out = record(tmp_path, "plugins=[]")
    browser.open(out / "report.html")
    assert "No allocation was recorded" in browser.run("return document.getElementById('notices').textContent")
    assert browser.console_errors() == []
    for words in ([], ["--detail", "10%"], ["--shapes"], ["--layers"], ["--steps"]):
        done = strata(tmp_path, "report", "out", *words)
        assert done.returncode == 0 and done.stdout, (words, done.stderr)


def test_a_store_cut_anywhere_ends_in_a_page_or_one_error(run, tmp_path):
    source = copy_of(run, tmp_path / "whole")
    size = source.stat().st_size
    chance = random.Random(5)
    lengths = [0, 1, 15, 16, 99, 100, 4096, size - 1, *(chance.randrange(size) for _ in range(24))]
    outcomes = set()
    for at, length in enumerate(lengths):
        folder = tmp_path / str(at)
        folder.mkdir()
        store = copy_of(run, folder)
        store.write_bytes(source.read_bytes()[:length])
        outcomes.add(check(folder)[0].returncode)
    assert outcomes - {0}
