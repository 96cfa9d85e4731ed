# SPDX-License-Identifier: Apache-2.0
"""Behaviours: functions of the programs in this folder, each of which checks a promise of PyTorch
about a card, in a separate process.

A program's arguments: the function's name, and `expandable` to run it on expandable segments. It
prints the failed parts as JSON: each part's name with the line that failed; `all` if the failure
was outside every part.
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
    """The card that a function needs, if not the usual one. test_behaviours.py reads this without
    importing the program."""
    return lambda function: function


def also_on_expandable_segments(function):
    """The function runs a second time on expandable segments. test_behaviours.py reads this as
    well."""
    return function


@contextlib.contextmanager
def part(name):
    """A part may fail alone because it asks for a value or a time. test_behaviours.py lists these
    parts with the reason."""
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
    gc.freeze()  # torch's own objects, shared with the server: a collection would copy them all
    if EXPANDABLE:
        torch.cuda.memory._set_allocator_settings("expandable_segments:True")
    try:
        functions[sys.argv[1]]()
    except Exception as error:
        _fell_short["all"] = f"{_where(error)}, with {_numbers(error)}"
    print(json.dumps({"fell_short": _fell_short}))


def _where(error):
    """Return the error and the innermost line of a behaviour that raised it."""
    lines = [entry for entry in traceback.extract_tb(error.__traceback__) if entry.filename != __file__]
    return f"{lines[-1].lineno}: {lines[-1].line}: {error!r}" if lines else repr(error)


def _numbers(error):
    """Return that line's variables. Do not use this for a part: a frame whose variables were read
    keeps them alive."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename != __file__]
    seen = frames[-1].f_locals if frames else {}
    return repr({name: value for name, value in seen.items() if isinstance(value, (int, float, str, tuple, list, dict))})[:1500]
