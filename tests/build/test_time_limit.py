# SPDX-License-Identifier: Apache-2.0
"""CI's time limit for long tests (tests/conftest.py): tests that have not begun by then are skipped
with a reason. Their order differs for each commit."""

import os
import subprocess
import sys
import time

FOLDERS = ("tests/docs", "tests/release", "tests/package")


def collected(repository, *words, **environment):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *FOLDERS, "-m", "long", "--quiet", *words],
        cwd=repository,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


def test_no_long_test_begins_when_the_time_is_over(repository):
    code, text = collected(repository, "-rs", STRATA_TESTS_UNTIL="1")
    assert code == 0 and "CI's time is over" in text
    assert " skipped" in text and " passed" not in text and " failed" not in text


def test_their_order_is_that_of_the_commit(repository):
    later = str(time.time() + 3600)
    orders = []
    for environment in ({}, {"STRATA_TESTS_COMMIT": "a"}, {"STRATA_TESTS_COMMIT": "b"}):
        until = {"STRATA_TESTS_UNTIL": later} if environment else {}
        code, text = collected(repository, "--collect-only", **environment, **until)
        assert code == 0
        orders.append([line for line in text.splitlines() if "::" in line])
    plain, first, second = orders
    assert sorted(plain) == sorted(first) == sorted(second) and len(plain) > 5
    assert first != second
    # The tests of a file stay together.
    files = [line.split("::")[0] for line in first]
    assert sum(one != other for one, other in zip(files, files[1:])) == len(set(files)) - 1
