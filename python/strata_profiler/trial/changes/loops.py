# SPDX-License-Identifier: Apache-2.0
"""How often the loops around a line go round, as far as their source says: for ... in range(3), or over what has a length."""

from __future__ import annotations

import ast
import builtins
import linecache
from types import FrameType
from typing import Any, List, Optional, Tuple

import torch
import torch.utils.data

_Loop = Tuple[int, bool]  # times, and whether a DataLoader says so
ENDLESS = 1 << 30
_FUNCTIONS = ("range", "enumerate", "int", "len", "min", "max", "zip")
_LEAVES = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)


def loops_around(frame: Optional[FrameType], own: Tuple[str, ...]) -> List[_Loop]:
    """Of that frame and of those that called it, but for files whose names begin with `own`. What nothing is known of is ENDLESS."""
    found: List[_Loop] = []
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(own):
            lines = linecache.getlines(name)
            try:
                tree = ast.parse("".join(lines))
            except SyntaxError:
                tree = ast.Module([], [])
            found += [_times(loop, frame) for loop in ast.walk(tree) if _is_in(loop, frame)]
        frame = frame.f_back
    return found


def _is_in(loop: ast.AST, frame: FrameType) -> bool:
    if not isinstance(loop, (ast.For, ast.While)) or loop.end_lineno is None:
        return False
    return frame.f_code.co_firstlineno <= loop.lineno and loop.body[0].lineno <= frame.f_lineno <= loop.end_lineno


def _times(loop: Any, frame: FrameType) -> _Loop:
    if isinstance(loop, ast.While) or not all(_is_plain(each, frame) for each in ast.walk(loop.iter)):
        return ENDLESS, False
    expression = loop.iter
    while isinstance(expression, ast.Call) and getattr(expression.func, "id", "") == "enumerate":
        expression = expression.args[0]
    try:
        value = eval(compile(ast.Expression(expression), "loop", "eval"), frame.f_globals, frame.f_locals)  # names, numbers and plain functions
        return len(value), isinstance(value, torch.utils.data.DataLoader)
    except Exception:  # as of what has no length
        return ENDLESS, False


def _is_plain(node: ast.AST, frame: FrameType) -> bool:
    """Has no effect where it is computed again, and needs no tensor."""
    if isinstance(node, ast.Name):
        return not isinstance(frame.f_locals.get(node.id, frame.f_globals.get(node.id)), torch.Tensor)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "")
        return name in _FUNCTIONS and hasattr(builtins, name) and not node.keywords
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "argv"
    return isinstance(node, _LEAVES)
