# SPDX-License-Identifier: Apache-2.0
"""What the peers' tests share: a program of the other side that is started once, and asked case by case."""

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
    """A function: a context in which a command is asked in JSON, a line for each case, and answers each with one. It ends with 0."""
    return _conversation
