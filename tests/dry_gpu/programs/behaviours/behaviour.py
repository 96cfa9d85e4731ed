# SPDX-License-Identifier: Apache-2.0
"""Behaviours: functions of the programs beside this file, each what PyTorch promises on a card, run in a process of its own.

A program's words: the function's name, and `expandable` to run it on expandable segments. It prints what fell short as
JSON: the parts by name, each with the line that did not hold; `all` where it was outside every part.
"""

import contextlib
import gc
import json
import re
import sys
import traceback

import torch

MIB = 1 << 20
EXPANDABLE = "expandable" in sys.argv[2:]

_fell_short = {}


def card(**numbers):
    """The card that a function needs, where it is not the usual one. test_behaviours.py reads it, and imports nothing."""
    return lambda function: function


def also_on_expandable_segments(function):
    """The function runs twice. test_behaviours.py reads it as well."""
    return function


@contextlib.contextmanager
def part(name):
    """What may fall short by itself, because it asks for a value or a time: test_behaviours.py lists which do, and why."""
    try:
        yield
    except (AssertionError, RuntimeError) as error:
        _fell_short[name] = _where(error)


@contextlib.contextmanager
def raises(kind, pattern=""):
    try:
        yield
    except kind as error:
        assert re.search(pattern, str(error)), f"{error} does not say {pattern}"
        return
    raise AssertionError(f"nothing was raised, but {kind.__name__} was expected")


def perform(functions):
    gc.freeze()  # torch's own objects, which the process shares with the server: collecting among them would copy them all
    if EXPANDABLE:
        torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    try:
        functions[sys.argv[1]]()
    except Exception as error:
        _fell_short["all"] = f"{_where(error)}, with {_numbers(error)}"
    print(json.dumps({"fell_short": _fell_short}))


def _where(error):
    """The error and the innermost line of a behaviour that it came from."""
    lines = [entry for entry in traceback.extract_tb(error.__traceback__) if entry.filename != __file__]
    return f"{lines[-1].lineno}: {lines[-1].line}: {error!r}" if lines else repr(error)


def _numbers(error):
    """What that line could see. Not for a part: a frame that was asked for its variables keeps them alive."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename != __file__]
    seen = frames[-1].f_locals if frames else {}
    return repr({name: value for name, value in seen.items() if isinstance(value, (int, float, str, tuple, list, dict))})[:1500]
