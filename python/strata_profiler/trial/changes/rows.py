# SPDX-License-Identifier: Apache-2.0
"""Fewer rows in the tensors that a program makes itself for its model."""

from __future__ import annotations

import sys
import sysconfig
import types
from typing import Any, Callable, Dict, Optional, Tuple

import torch
import torch.utils.data
from torch.overrides import TorchFunctionMode

from ..program import Program, program_frame

# Where in its inputs each has a size; None: the first tuple or list is it.
_SIZE_OF: Dict[Any, Optional[int]] = {
    **dict.fromkeys((torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn, torch.full), 0),
    torch.randint: None,
}
_COPIES = {"to", "cuda", "clone", "pin_memory"}
_LISTS = {"tensor", "as_tensor", "from_numpy", "stack"}
_COUNTS = {"arange", "randperm"}
_LOADERS = torch.utils.data.__path__[0]
_LIBRARIES = tuple({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})

_Call = Tuple[Tuple[Any, ...], Dict[str, Any]]


class SmallerTensors(TorchFunctionMode):
    """What the program's own lines make, copy or take with `rows` rows has 1/`parts` of them: not what a module or an optimizer does, nor a library.
    The call asks for fewer, so that it needs as little memory as if it were written so."""

    def __init__(self, program: Program, rows: int, parts: int, count: Callable[[], None]) -> None:
        super().__init__()
        self._program = program
        self._rows = rows
        self._part = rows // parts
        self._count = count

    def __torch_function__(self, function: Any, kinds: Any, inputs: Any = (), named: Any = None) -> Any:
        named = named or {}
        if self._program.is_in_forward() or self._program.is_in_autograd():
            return function(*inputs, **named)
        smaller = self._smaller(function, inputs, named)
        if smaller is not None and not named.get("requires_grad") and _is_the_programs_own():
            self._count()
            inputs, named = smaller
            return function(*inputs, **named)
        result = function(*inputs, **named)
        # A slice: what it is cut from stays as it is.
        if getattr(function, "__name__", "") == "__getitem__" and self._has_rows(result) and _takes_rows(inputs[1]) and _is_the_programs_own():
            self._count()
            return result[: self._part]
        return result

    def _has_rows(self, value: Any) -> bool:
        if isinstance(value, torch.Tensor):
            return value.dim() > 0 and len(value) == self._rows and not value.requires_grad
        return type(value).__name__ in ("list", "tuple", "ndarray") and len(value) == self._rows

    def _smaller(self, function: Any, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Optional[_Call]:
        """The call with fewer rows; None: it has not as many."""
        name = getattr(function, "__name__", "")
        if function in _SIZE_OF:
            return self._with_smaller_size(_SIZE_OF[function], inputs, named, function is torch.full)
        if name in _COUNTS and inputs[-1:] == (self._rows,) and len(inputs) == 1:
            return (self._part,), named
        if name in _COPIES | _LISTS and inputs and self._has_rows(inputs[0]):
            return (inputs[0][: self._part], *inputs[1:]), named
        if name == "index_select" and len(inputs) == 3 and inputs[1] == 0 and self._has_rows(inputs[2]):
            return (*inputs[:2], inputs[2][: self._part]), named
        if name == "__getitem__" and self._has_rows(inputs[1]) and type(inputs[1]) is not tuple and not _is_mask(inputs[1]):
            return (inputs[0], inputs[1][: self._part]), named
        return None

    def _with_smaller_size(self, position: Optional[int], inputs: Tuple[Any, ...], named: Dict[str, Any], is_full: bool) -> Optional[_Call]:
        if "size" in named:
            size = named["size"]
            return (inputs, {**named, "size": (self._part, *size[1:])}) if len(size) and size[0] == self._rows else None
        if position is None:
            position = next((index for index, each in enumerate(inputs) if isinstance(each, (tuple, list))), len(inputs))
        if position >= len(inputs):
            return None
        size = inputs[position]
        if isinstance(size, (tuple, list)):
            if len(size) == 0 or size[0] != self._rows:
                return None
            return (*inputs[:position], (self._part, *size[1:]), *inputs[position + 1 :]), named
        if type(size) is int and size == self._rows and not is_full:
            return (*inputs[:position], self._part, *inputs[position + 1 :]), named
        return None


def _takes_rows(index: Any) -> bool:
    """Of the first dimension, in place of one row's."""
    first = index[0] if isinstance(index, tuple) and index else index
    return isinstance(first, (slice, torch.Tensor)) or first is Ellipsis


def _is_mask(index: Any) -> bool:
    return getattr(index, "dtype", None) in (torch.bool, bool) or (len(index) > 0 and isinstance(index[0], bool))


def _is_the_programs_own() -> bool:
    """Neither a library's line, nor a part of a module's or an optimizer's making, copying or stepping, nor one sample of a data set."""
    frame: Optional[types.FrameType] = program_frame()
    if frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        return False
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.startswith(_LOADERS):
            return False
        if frame.f_code.co_name in ("__init__", "_apply", "step") and isinstance(
            frame.f_locals.get("self"), (torch.nn.Module, torch.optim.Optimizer)
        ):
            return False
        frame = frame.f_back
    return True
