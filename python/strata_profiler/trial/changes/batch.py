# SPDX-License-Identifier: Apache-2.0
"""Computes the batch in parts, with one optimizer step after all parts: the same training except for the order of sums.

Frameworks are configured through their own switches. Otherwise the loader's batches become smaller, as do tensors with as many rows as the
model received that the program itself makes, takes or copies. A step or a zero_grad between the parts is omitted.

A trial has as many steps as one of the unchanged program: a program whose loop ends earlier is told to run longer.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, List, Optional, Set

import torch
from torch.amp.grad_scaler import GradScaler
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils.data import BatchSampler

from ..program import Program, enter, replace
from .change import Change
from .frameworks import Frameworks
from .reached import Reached, rows_of
from .rows import SmallerTensors


class PartOfBatch(Change):
    group = "batch"
    cost = "more kernels"

    def __init__(self, parts: int) -> None:
        super().__init__()
        self.parts = parts
        self.word = "half" if parts == 2 else "quarter"
        self.name = "half the batch, accumulated" if parts == 2 else "a quarter of it, accumulated"
        self._by_switch = False
        self._steps: List[_Steps] = []
        self._is_framework: Callable[[], bool] = lambda: False

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(rows=0, second=None, loaders=[], switch=0, accumulation=1, normalizes=False, computes=False, discards=False)
        self._is_framework = lambda: frameworks.name == "lightning"

        self._reached = Reached(program)

        def look(model: torch.nn.Module, inputs: Any, named: Any, output: Any) -> None:
            if torch.is_grad_enabled() and model.training and not self.facts["normalizes"]:
                self.facts["normalizes"] = any("BatchNorm" in type(part).__name__ for part in model.modules())

        def look_within(module: torch.nn.Module, inputs: Any) -> None:
            first = inputs[0] if inputs else None
            if getattr(module, "batch_first", None) is False and isinstance(first, torch.Tensor) and first.dim() == 3:
                self.facts["second"] = self.facts["second"] or (len(first), first.size(1))

        def take(arguments: Any) -> None:
            self.facts["switch"] = arguments.per_device_train_batch_size
            self.facts["accumulation"] = int(arguments.gradient_accumulation_steps)

        def loading(make: Callable[..., None]) -> Callable[..., None]:
            def made(sampler: Any, inner: Any, batch_size: int, drop_last: bool) -> None:
                make(sampler, inner, batch_size, drop_last)
                self.facts["loaders"].append((batch_size, _batches(sampler)))

            return made

        def computes(optimizer: Any, inputs: Any, named: Any) -> None:
            if inputs[1:2] not in ((), (None,)) or named.get("closure") is not None:
                self.facts["computes"] = True

        self._watch_discarded(program)
        program.after_model.append(look)
        program.before_module.append(look_within)
        frameworks.set_training_arguments.append(take)
        replace(BatchSampler, "__init__", loading)
        register_optimizer_step_pre_hook(computes)

    def _watch_discarded(self, program: Program) -> None:
        """Detects gradients that zero_grad discards before a step has used them, as a GAN's generator leaves in the discriminator: parts of a
        batch would add them up.
        """
        backwards = 0
        stepped: Dict[int, int] = {}  # for each parameter, the number of backwards at its last step

        def count(_: Any) -> None:
            nonlocal backwards
            backwards += 1

        def stepping(optimizer: Any, *_: Any) -> None:
            stepped.update({id(each): backwards for group in optimizer.param_groups for each in group["params"]})

        def zeroing(zero: Callable[..., None]) -> Callable[..., None]:
            def zero_grad(thing: Any, *arguments: Any, **named: Any) -> None:
                groups = [list(thing.parameters())] if isinstance(thing, torch.nn.Module) else [group["params"] for group in thing.param_groups]
                if any(each.grad is not None and stepped.get(id(each), backwards) < backwards for group in groups for each in group):
                    self.facts["discards"] = True
                zero(thing, *arguments, **named)

            return zero_grad

        program.before_backward.append(count)
        register_optimizer_step_pre_hook(stepping)
        for owner in (torch.optim.Optimizer, torch.nn.Module):
            replace(owner, "zero_grad", zeroing)

    def reason(self) -> Optional[str]:
        self.same_training = not (self.facts["normalizes"] or self.facts["discards"])
        trained = [call["rows"] for call in self._reached.calls if call["backward"] is not None]
        self.facts["rows"] = next((rows for rows in trained if rows), 0)
        rows = self._rows()
        if rows == 0:
            return "no backward reached a model's input"
        if self._is_turned() and self._batches_loaded() == 0:
            return "the batch is not the first dimension of the model's input, and no DataLoader creates it"
        if self.facts["computes"] and not self._is_framework():
            return "the optimizer's step computes the loss itself, possibly several times"
        return None if rows % self.parts == 0 else f"a {self.word} of a batch of {rows} is not a whole number"

    def _batches_loaded(self) -> int:
        """The number of batches of that size in an epoch."""
        return max((int(count) for rows, count in self.facts["loaders"] if rows == self._rows()), default=0)

    def _is_turned(self) -> bool:
        """Time before batch, as for a module with batch_first=False, and not only inside the model."""
        time, rows = self.facts.get("second") or (0, 0)
        return bool(time) and time == self.facts["rows"] != rows

    def _rows(self) -> int:
        rows: int = self.facts.get("rows", 0)
        if self._is_turned():
            rows = self.facts["second"][1]
        return self.facts.get("switch", 0) or rows

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        if self.facts["switch"]:
            frameworks.set_training_arguments.append(self._set_arguments)
            return
        frameworks.set_lightning.append(self._set_lightning)
        self._halve_loaders()
        if not self._is_turned():
            enter(SmallerTensors(program, self._rows(), self.parts, self._count))
            program.after_model.append(self._check_rows)
        program.made_optimizer.append(lambda optimizer: self._steps.append(_Steps(optimizer, self.parts, lambda: self._by_switch)))
        replace(torch.autograd, "backward", self._dividing)
        self._skip_in_the_middle(torch.nn.Module, "zero_grad", lambda module: {id(each) for each in module.parameters()})
        for name in ("step", "unscale_"):
            self._skip_in_the_middle(GradScaler, name, _all, of_optimizer=True)
        self._skip_in_the_middle(GradScaler, "update", _all)

    def _dividing(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Like `loss = loss / parts`. If the program itself divides its loss, the divisor becomes larger."""

        def backward(tensors: Any, *arguments: Any, **named: Any) -> Any:
            if not self._by_switch and isinstance(tensors, torch.Tensor) and tensors.numel() == 1 and tensors.grad_fn is not None:
                if type(tensors.grad_fn).__name__ not in ("DivBackward0", "MulBackward0"):
                    divided = tensors / self.parts
                    tensors.data = divided.data
                    tensors = divided
            return run(tensors, *arguments, **named)

        return backward

    def _count(self) -> None:
        self.made += 1

    def _check_rows(self, model: torch.nn.Module, inputs: Any, named: Any, output: Any) -> None:
        if torch.is_grad_enabled() and rows_of(inputs, named) == self._rows():
            self.problem = f"{type(model).__name__} was given all {self._rows()} rows: Strata cannot change the code that creates them"

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
                if batch_size == self._rows():
                    batch_size //= self.parts
                    self.made += 1
                make(sampler, inner, batch_size, drop_last)

            return made

        replace(BatchSampler, "__init__", making)

    def _skip_in_the_middle(self, owner: Any, name: str, parameters: Callable[..., Optional[Set[int]]], of_optimizer: bool = False) -> None:
        """`parameters`: those whose gradients the call would use; None: all, or those of its optimizer."""

        def skipping(run: Callable[..., Any]) -> Callable[..., Any]:
            def call(thing: Any, *arguments: Any, **named: Any) -> Any:
                if of_optimizer:
                    steps = next((each for each in self._steps if each.optimizer is arguments[0]), None)
                    if steps is not None and steps.will_skip():
                        return steps.skip() if name == "step" else None
                else:
                    ids = parameters(thing)
                    if any(each.is_in_the_middle() and (ids is None or each.parameters() & ids) for each in self._steps):
                        return None
                return run(thing, *arguments, **named)

            return call

        replace(owner, name, skipping)

    def missing(self) -> Optional[str]:
        used = [steps for steps in self._steps if steps.ended > 0 or steps.taken > 0]
        if used and not self._by_switch and all(steps.ended < 2 for steps in used):
            return f"the program ends too early for two steps of {self.parts} parts: let it run longer"
        return super().missing()

    def write(self, framework: str) -> str:
        rows, switch, times = self._rows(), self.facts.get("switch", 0), self.facts.get("accumulation", 1)
        if switch:
            return f"TrainingArguments(per_device_train_batch_size={switch // self.parts}, gradient_accumulation_steps={times * self.parts})"
        accumulated = {
            "lightning": f"Trainer(accumulate_grad_batches={self.parts})",
        }.get(framework, f"loss = loss / {self.parts}, and step and zero_grad after each {self.parts}")
        return f"batches of {rows // self.parts} in place of {rows}; {accumulated}"


class _Steps:
    """The steps of one optimizer, each consisting of all parts."""

    def __init__(self, optimizer: Any, parts: int, by_switch: Callable[[], bool]) -> None:
        self.optimizer = optimizer
        self.ended = 0
        self.taken = 0  # parts of the current step so far
        self._parts = parts
        self._by_switch = by_switch
        step, zero = type(optimizer).step, type(optimizer).zero_grad

        def part_of_step(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            if self.will_skip():
                return self.skip()
            self.taken, self.ended = 0, self.ended + 1
            return step(optimizer, *arguments, **named)

        def zero_grad(optimizer: Any, *arguments: Any, **named: Any) -> None:
            if not self.is_in_the_middle():
                zero(optimizer, *arguments, **named)

        optimizer.step = types.MethodType(part_of_step, optimizer)
        optimizer.zero_grad = types.MethodType(zero_grad, optimizer)

    def will_skip(self) -> bool:
        return not self._by_switch() and self.taken + 1 < self._parts

    def skip(self) -> None:
        self.taken += 1

    def is_in_the_middle(self) -> bool:
        return self.taken > 0

    def parameters(self) -> Set[int]:
        return {id(each) for group in self.optimizer.param_groups for each in group["params"]}


def _batches(sampler: Any) -> int:
    try:
        return len(sampler)
    except TypeError:  # an endless one
        return 1 << 30


def _all(_: Any) -> None:
    return None


def changes() -> List[Change]:
    return [PartOfBatch(2), PartOfBatch(4)]
