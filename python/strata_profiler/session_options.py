# SPDX-License-Identifier: Apache-2.0
"""Which words of a pytest session's command line are for a process of one test, too.

What a conftest.py or another plugin asks for (`--run-slow`) decides there what the test does. Words that choose among tests, run them side by
side, or name files that the session itself writes are the session's alone.
"""

from __future__ import annotations

import os
import shlex
from typing import Any, Iterator, List

import pytest

# With a value: in the same word behind `=`, in the next word, or, of those with one hyphen, in the word's rest.
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
    """Those of the environment and of the ini file's `addopts` among them, which the process is not to read again."""
    words = shlex.split(os.environ.get("PYTEST_ADDOPTS", "")) + list(config.getini("addopts")) + _command_line(config)
    return [*_without_the_sessions(words, set(config.option.file_or_dir or ())), "--override-ini=addopts="]


def _command_line(config: pytest.Config) -> List[str]:
    # A worker of pytest-xdist is handed what was made of them.
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
