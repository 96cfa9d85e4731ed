# SPDX-License-Identifier: Apache-2.0
"""Events of the program for watching or changing it: forwards of whole models, backwards, optimizers."""

from __future__ import annotations

import functools
import os
import sys
import threading
import weakref
from types import FrameType
from typing import Any, Callable, Iterator, List, Optional

import torch
from torch.nn.modules import module as torch_module
from torch.optim.optimizer import Optimizer

_TORCH = torch.__path__[0]
_OURS = __file__.rpartition("/")[0]
_STARTED_IN = os.path.join(os.getcwd(), "")
OWN_FOLDERS = (_TORCH, _OURS, "<")  # torch's files, ours, and code without a file


class _Depth(threading.local):
    modules = 0  # forwards that are open in this thread
    autograd = 0  # calls of backward or grad


class Program:
    """Lists of functions to call, each in the thread where the event happens.

    before_model(model, args): a module with parameters, inside no other module's forward, is called
    after_model(model, args, kwargs, output): the same; output is None if it raised
    before_module(module, args), after_module(module, args, kwargs, output): any module
    before_backward(tensors), after_backward(): the program calls backward or grad
    made_optimizer(optimizer): its __init__ has ended
    """

    def __init__(self) -> None:
        self.before_model: List[Callable[[torch.nn.Module, Any], None]] = []
        self.after_model: List[Callable[[torch.nn.Module, Any, Any, Any], None]] = []
        self.before_module: List[Callable[[torch.nn.Module, Any], None]] = []
        self.after_module: List[Callable[[torch.nn.Module, Any, Any, Any], None]] = []
        self.before_backward: List[Callable[[List[torch.Tensor]], None]] = []
        self.after_backward: List[Callable[[], None]] = []
        self.made_optimizer: List[Callable[[Any], None]] = []
        self.is_compiled = False  # torch.compile runs one of its modules
        self._depth = _Depth()
        self._has_parameters: weakref.WeakKeyDictionary[torch.nn.Module, bool] = weakref.WeakKeyDictionary()

    def begin(self) -> None:
        torch_module.register_module_forward_pre_hook(self._before)
        torch_module.register_module_forward_hook(self._after, with_kwargs=True, always_call=True)
        replace(torch.autograd, "backward", self._backward)
        replace(torch.autograd, "grad", self._backward)
        replace(Optimizer, "__init__", self._optimizer_made)

    def is_in_forward(self) -> bool:
        return self._depth.modules > 0

    def is_in_autograd(self) -> bool:
        return self._depth.autograd > 0

    def _before(self, module: torch.nn.Module, inputs: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if type(module).__name__ == "OptimizedModule" or module._compiled_call_impl is not None:
            self.is_compiled = True
        if self._depth.modules == 0 and self._is_model(module):
            for begin in self.before_model:
                begin(module, inputs)
        self._depth.modules += 1
        for each in self.before_module:
            each(module, inputs)

    def _after(self, module: torch.nn.Module, inputs: Any, *named_and_output: Any) -> None:
        if torch.compiler.is_compiling() or self._depth.modules == 0:
            return
        # For a forward that raised, torch passes neither.
        named, output = named_and_output if len(named_and_output) == 2 else ({}, None)
        for each in self.after_module:
            each(module, inputs, named, output)
        self._depth.modules -= 1
        if self._depth.modules == 0 and self._is_model(module):
            for end in self.after_model:
                end(module, inputs, named, output)

    def _is_model(self, module: torch.nn.Module) -> bool:
        known = self._has_parameters.get(module)
        if known is None:
            known = self._has_parameters[module] = next(module.parameters(), None) is not None
        return known

    def _optimizer_made(self, make: Callable[..., None]) -> Callable[..., None]:
        def made(optimizer: Any, *arguments: Any, **options: Any) -> None:
            make(optimizer, *arguments, **options)
            for each in self.made_optimizer:
                each(optimizer)

        return made

    def _backward(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *arguments: Any, **options: Any) -> Any:
            outermost = self._depth.autograd == 0
            if outermost:
                roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
                for begin in self.before_backward:
                    begin(roots)
            self._depth.autograd += 1
            try:
                return run(tensors, *arguments, **options)
            finally:
                self._depth.autograd -= 1
                if outermost:
                    for end in self.after_backward:
                        end()

        return backward


def replace(owner: Any, name: str, by: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replaces a function of a class or module by the one that `by` makes from it."""
    function = getattr(owner, name)
    if hasattr(function, "strata_target"):
        function.strata_target = by(function.strata_target)
    else:
        setattr(owner, name, functools.wraps(function)(by(function)))


def make_replaceable(owner: Any, name: str) -> None:
    """Replaces a function of a module by one that calls it or its replacement: also reaches callers that already imported it by name."""
    function = getattr(owner, name)

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return call.strata_target(*arguments, **named)  # type: ignore[attr-defined]

    call.strata_target = function  # type: ignore[attr-defined]
    setattr(owner, name, call)


def enter(mode: Any) -> None:
    """Enters permanently."""
    mode.__enter__()


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in lists, tuples, dictionaries and similar containers, at any depth."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from tensors_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)


def program_frame() -> Optional[FrameType]:
    """The innermost running frame that is neither torch's nor ours."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_FOLDERS):
        frame = frame.f_back
    return frame


def call_site() -> str:
    """FILE:LINE of that frame, relative to the folder in which the program was started."""
    frame = program_frame()
    return "the program" if frame is None else f"{frame.f_code.co_filename.removeprefix(_STARTED_IN)}:{frame.f_lineno}"
