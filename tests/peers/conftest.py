# SPDX-License-Identifier: Apache-2.0
"""Shared by the peers' tests: a program of the other library that is started once and then queried
case by case."""

import contextlib
import json
import subprocess

import pytest


@contextlib.contextmanager
def _conversation(*command):
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask(case):
            print(json.dumps(case), file=process.stdin, flush=True)
            answer = process.stdout.readline()
            assert answer, f"{command[-1]} ended with {process.wait()}"
            return json.loads(answer)

        yield ask
        process.stdin.close()
        assert process.wait() == 0


@pytest.fixture(scope="session")
def conversation():
    """A function that returns a context in which a command gets a line of JSON for each case and
    answers with a line. It must exit with 0."""
    return _conversation
