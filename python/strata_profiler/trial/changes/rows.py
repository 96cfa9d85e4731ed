# SPDX-License-Identifier: Apache-2.0
"""Fewer rows in the tensors that a program itself makes for its model."""

from __future__ import annotations

import sys
import sysconfig
import types
from typing import Any, Callable, Dict, Optional, Tuple

import torch
import torch.utils.data
from torch.overrides import TorchFunctionMode

from ..program import Program, program_frame

# The index of the size among the arguments of each function; None: the first tuple or list.
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
    """Tensors with `rows` rows that the program's own lines make, copy or take get 1/`parts` of them. Tensors made by a module, an optimizer or a
    library are unchanged. The call asks for fewer rows, so it needs as little memory as if it had been written that way.
    """

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
        # A slice: the tensor that it is cut from is unchanged.
        if getattr(function, "__name__", "") == "__getitem__" and self._has_rows(result) and _takes_rows(inputs[1]) and _is_the_programs_own():
            self._count()
            return result[: self._part]
        return result

    def _has_rows(self, value: Any) -> bool:
        if isinstance(value, torch.Tensor):
            return value.dim() > 0 and len(value) == self._rows and not value.requires_grad
        return type(value).__name__ in ("list", "tuple", "ndarray") and len(value) == self._rows

    def _smaller(self, function: Any, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Optional[_Call]:
        """The call with fewer rows; None if it does not have that many."""
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
    """Takes rows of the first dimension, not an index inside one row."""
    first = index[0] if isinstance(index, tuple) and index else index
    return isinstance(first, (slice, torch.Tensor)) or first is Ellipsis


def _is_mask(index: Any) -> bool:
    return getattr(index, "dtype", None) in (torch.bool, bool) or (len(index) > 0 and isinstance(index[0], bool))


def _is_the_programs_own() -> bool:
    """Not a line of a library, not part of the creation, copying or stepping of a module or optimizer, and not one sample of a data set."""
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
