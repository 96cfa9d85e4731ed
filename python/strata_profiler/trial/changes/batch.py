# SPDX-License-Identifier: Apache-2.0
"""A part of the batch at once, and a step of the optimizer after as many as made the whole: the same training, but for the order of sums.

Frameworks are told so by their own switches. Elsewhere the loader's batches are smaller, and so is what the loop makes itself or copies to the
device with as many rows as the model took; and what lies between the parts, a step or a zero_grad, is left out.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.data import BatchSampler

from ..program import Program, enter, replace, tensors_in
from .change import Change
from .frameworks import Frameworks

_MADE_BY_SIZE = {torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn}


class PartOfBatch(Change):
    group = "batch"
    cost = "more, smaller kernels"

    def __init__(self, parts: int) -> None:
        super().__init__()
        self.parts = parts
        self.name = "half the batch, accumulated" if parts == 2 else "a quarter of it, accumulated"
        self._by_switch = False
        self._middle = 0  # optimizers whose gradients are those of a part

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(rows=0, switch=0, accumulation=1, normalizes=False)

        def look(model: torch.nn.Module, inputs: Any, named: Any, output: Any) -> None:
            if self.facts["rows"] == 0 and torch.is_grad_enabled():
                self.facts["rows"] = next((len(tensor) for tensor in tensors_in([inputs, named]) if tensor.dim() > 0), 0)
                kinds = [type(part).__name__ for part in model.modules()]
                self.facts["normalizes"] = any("BatchNorm" in kind for kind in kinds) and model.training

        def take(arguments: Any) -> None:
            self.facts["switch"] = arguments.per_device_train_batch_size
            self.facts["accumulation"] = int(arguments.gradient_accumulation_steps)

        program.after_model.append(look)
        frameworks.set_training_arguments.append(take)

    def reason(self) -> Optional[str]:
        rows = self.facts["switch"] or self.facts["rows"]
        if rows == 0:
            return "no model was given a tensor"
        return None if rows % self.parts == 0 else f"a batch of {rows} has no {'half' if self.parts == 2 else 'quarter'}"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        self.same_training = not self.facts["normalizes"]
        if self.facts["switch"]:
            frameworks.set_training_arguments.append(self._set_arguments)
            return
        frameworks.set_lightning.append(self._set_lightning)
        self._halve_loaders()
        enter(_SmallerTensors(program, self))
        program.made_optimizer.append(self._skip_in_the_middle)

        def zeroing(zero: Callable[..., None]) -> Callable[..., None]:
            def zero_grad(module: Any, set_to_none: bool = True) -> None:
                if self._middle == 0:
                    zero(module, set_to_none)

            return zero_grad

        replace(torch.nn.Module, "zero_grad", zeroing)

    def _set_arguments(self, arguments: Any) -> None:
        arguments.per_device_train_batch_size //= self.parts
        arguments.gradient_accumulation_steps = int(arguments.gradient_accumulation_steps) * self.parts
        self.made += 1

    def _set_lightning(self, named: Dict[str, Any]) -> None:
        named["accumulate_grad_batches"] = named.get("accumulate_grad_batches", 1) * self.parts
        self._by_switch = True

    def _halve_loaders(self) -> None:
        def making(make: Callable[..., None]) -> Callable[..., None]:
            def made(sampler: Any, inner: Any, batch_size: int, drop_last: bool) -> None:
                if batch_size == self.facts["rows"]:
                    batch_size //= self.parts
                    self.made += 1
                make(sampler, inner, batch_size, drop_last)

            return made

        replace(BatchSampler, "__init__", making)

    def _skip_in_the_middle(self, optimizer: Any) -> None:
        step, zero = type(optimizer).step, type(optimizer).zero_grad
        taken = 0

        def part_of_step(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            nonlocal taken
            if self._by_switch:
                return step(optimizer, *arguments, **named)
            taken += 1
            self._middle += (taken % self.parts != 0) * (taken % self.parts == 1) - (taken % self.parts == 0)
            if taken % self.parts == 0:
                return step(optimizer, *arguments, **named)
            return None

        def zero_grad(optimizer: Any, *arguments: Any, **named: Any) -> None:
            if taken % self.parts == 0 or self._by_switch:
                zero(optimizer, *arguments, **named)

        optimizer.step = types.MethodType(part_of_step, optimizer)
        optimizer.zero_grad = types.MethodType(zero_grad, optimizer)

    def write(self, framework: str) -> str:
        rows, switch, times = self.facts.get("rows", 0), self.facts.get("switch", 0), self.facts.get("accumulation", 1)
        if switch:
            return f"TrainingArguments(per_device_train_batch_size={switch // self.parts}, gradient_accumulation_steps={times * self.parts})"
        accumulated = f"Trainer(accumulate_grad_batches={self.parts})" if framework == "lightning" else f"step and zero_grad after each {self.parts}"
        return f"batches of {rows // self.parts} in place of {rows}; {accumulated}"


class _SmallerTensors(TorchFunctionMode):
    """In the loop, outside of models: tensors of so many rows get fewer."""

    def __init__(self, program: Program, change: PartOfBatch) -> None:
        super().__init__()
        self._change = change
        self._rows: int = change.facts["rows"]
        self._is_data = True  # from an optimizer's step, or the start, to the model's call
        self._program = program
        program.before_model.append(lambda model, inputs: self._set(not torch.is_grad_enabled()))
        program.after_backward.append(lambda: self._set(True))

    def _set(self, is_data: bool) -> None:
        self._is_data = is_data

    def __torch_function__(self, function: Any, kinds: Any, inputs: Any = (), named: Any = None) -> Any:
        named = named or {}
        if not self._is_data or self._program.is_in_forward() or named.get("requires_grad") or _is_making_a_module():
            return function(*inputs, **named)
        inputs, named, smaller = self._smaller(function, inputs, named)
        result = function(*inputs, **named)
        takes_a_part = isinstance(result, torch.Tensor) and result.dim() > 0 and len(result) == self._rows and not result.requires_grad
        if takes_a_part and not smaller and getattr(function, "__name__", "") in _MAKE_ROWS:
            result, smaller = result[: self._rows // self._change.parts], True
        self._change.made += smaller
        return result

    def _smaller(self, function: Any, inputs: Tuple[Any, ...], named: Dict[str, Any]) -> Tuple[Any, Dict[str, Any], bool]:
        """The call with fewer rows in its size, where it has one."""
        position = {torch.randint: None, torch.full: 0}.get(function, 0 if function in _MADE_BY_SIZE else -1)
        if position == -1:
            return inputs, named, False
        part = self._rows // self._change.parts
        if "size" in named and len(named["size"]) and named["size"][0] == self._rows:
            return inputs, {**named, "size": (part, *named["size"][1:])}, True
        if position is None:
            position = next((index for index, each in enumerate(inputs) if isinstance(each, (tuple, list))), -1)
        if position < 0 or position >= len(inputs):
            return inputs, named, False
        size = inputs[position]
        if isinstance(size, (tuple, list)) and len(size) > 0 and size[0] == self._rows:
            return (*inputs[:position], (part, *size[1:]), *inputs[position + 1 :]), named, True
        if size == self._rows and not isinstance(size, bool) and function is not torch.full:
            return (*inputs[:position], part, *inputs[position + 1 :]), named, True
        return inputs, named, False


# What puts a batch together in a loop that has no loader.
_MAKE_ROWS = {"to", "cuda", "__getitem__", "stack", "from_numpy", "as_tensor", "tensor", "index_select", "clone", "arange", "randperm"}


def _is_making_a_module() -> bool:
    frame: Optional[types.FrameType] = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "__init__" and isinstance(frame.f_locals.get("self"), (torch.nn.Module, torch.optim.Optimizer)):
            return True
        frame = frame.f_back
    return False


def changes() -> List[Change]:
    return [PartOfBatch(2), PartOfBatch(4)]
