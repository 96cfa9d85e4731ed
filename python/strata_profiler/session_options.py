# SPDX-License-Identifier: Apache-2.0
"""The words of a pytest session's command line that also apply to the process of a single test.

Options of a conftest.py or another plugin (`--run-slow`) decide what the test does. Words that select tests, run them in parallel, or name files
written by the session apply only to the session.
"""

from __future__ import annotations

import os
import shlex
from typing import Any, Iterator, List

import pytest

# Options with a value: in the same word after `=`, in the next word, or, with one hyphen, in the rest of the word.
_WITH_VALUE = {
    "-k", "-m", "-n", "--basetemp", "--cov", "--cov-config", "--cov-context", "--cov-fail-under", "--cov-report", "--deselect", "--dist",
    "--durations", "--durations-min", "--html", "--ignore", "--ignore-glob", "--junit-prefix", "--junit-xml", "--junitprefix", "--junitxml", "--json-report-file",
    "--last-failed-no-failures", "--lfnf", "--log-file", "--maxfail", "--maxprocesses", "--numprocesses", "--pastebin", "--pdbcls", "--report-log",
    "--reruns", "--reruns-delay", "--tx", "--rsyncdir", "--max-worker-restart",
}  # fmt: skip
_ALONE = {
    "-x", "--exitfirst", "-f", "--looponfail", "--cache-clear", "--co", "--cov-append", "--cov-branch", "--collect-only", "--failed-first", "--ff", "--last-failed", "--lf", "--new-first",
    "--nf", "--no-cov", "--pdb", "--trace", "--json-report", "--setup-only", "--setup-plan", "--stepwise", "--stepwise-skip", "--sw", "--sw-skip", "-d",
}  # fmt: skip


def words_for_one_test(config: pytest.Config) -> List[str]:
    """Those from the environment and from the ini file's `addopts` are included; the process does not read them again."""
    words = shlex.split(os.environ.get("PYTEST_ADDOPTS", "")) + list(config.getini("addopts")) + _command_line(config)
    return [*_without_the_sessions(words, set(config.option.file_or_dir or ())), "--override-ini=addopts="]


def _command_line(config: pytest.Config) -> List[str]:
    # A worker of pytest-xdist receives the parsed words.
    worker: Any = getattr(config, "workerinput", None)
    return list(worker["mainargv"][1:]) if worker is not None else [str(word) for word in config.invocation_params.args]


def _without_the_sessions(words: List[str], paths: "set[str]") -> Iterator[str]:
    value_follows = False
    for word in words:
        is_value, value_follows = value_follows and not word.startswith("-"), False
        name, equals, _ = word.partition("=")
        if is_value or word in paths or word in _ALONE or (word[:2] in ("-k", "-m", "-n") and len(word) > 2 and word[1] != "-"):
            continue
        if name in _WITH_VALUE:
            value_follows = not equals
        else:
            yield word
