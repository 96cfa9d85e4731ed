# SPDX-License-Identifier: Apache-2.0
"""A separate backward for each loss instead of one for their sum."""

from __future__ import annotations

import weakref
from typing import Any, Callable, List, Optional, Set, Tuple

import torch
from torch.amp.grad_scaler import GradScaler
from torch.overrides import TorchFunctionMode

from ..program import Program, enter, replace, tensors_in
from .change import Change
from .frameworks import Frameworks
from .reached import Reached


class BackwardOfEach(Change):
    """For a backward through several calls of a model, each followed by its own loss."""

    name = "a backward for each loss"
    group = "backward"

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts["scalars"] = 0
        self._reached = Reached(program)

        def ended(losses: "_Losses") -> None:
            if losses.calls > 1:  # for the first, 0 + loss looks like a loss
                self.facts["scalars"] = min(self.facts["scalars"] or losses.of_loss, losses.of_loss)

        _Losses(program, ended=ended).begin()

    def reason(self) -> Optional[str]:
        read: Set[Tuple[int, int]] = set()
        for call in self._reached.calls:
            if call["backward"] is None:
                continue
            if (call["model"], call["backward"]) in read:
                if call["goes_on"]:
                    return "the model's input was computed by an earlier call of a model and needs its graph"
                return None if self.facts["scalars"] > 0 else "the model is called again before a loss is computed"
            read.add((call["model"], call["backward"]))
        return "each backward goes through one forward"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def run(loss: torch.Tensor) -> None:
            if loss._is_view():
                self.refuse("a loss is a view of another tensor")
            self.made += 1
            scaler = scalers[-1] if scalers else None
            (loss if scaler is None else scaler.scale(loss)).backward()
            loss.detach_()

        def skipping(run: Callable[..., Any]) -> Callable[..., Any]:
            def backward(tensors: Any, *arguments: Any, **named: Any) -> Any:
                if self.made and isinstance(tensors, torch.Tensor) and not tensors.requires_grad:
                    return None  # a sum for whose terms backward has already run
                return run(tensors, *arguments, **named)

            return backward

        def scaling(make: Callable[..., None]) -> Callable[..., None]:
            def made(scaler: Any, *arguments: Any, **named: Any) -> None:
                make(scaler, *arguments, **named)
                scalers.append(scaler)

            return made

        scalers: List[Any] = []
        replace(GradScaler, "__init__", scaling)
        losses = _Losses(program, is_next=self.facts["scalars"], run=run)
        losses.begin()
        replace(torch.autograd, "backward", skipping)

    def write(self, framework: str) -> str:
        return "loss.backward() after each forward, with loss.detach() in the sum, instead of the sum's backward"


class _Losses(TorchFunctionMode):
    """Counts the scalars with a gradient that the program computes after a call of a model. The loss is the last one not computed from a scalar
    before the call, as a sum of losses is.

    ended: called after the last one of a call. run: called with the scalar number `is_next` after a call, once the program's statement has
    its value.
    """

    def __init__(
        self,
        program: Program,
        ended: Callable[["_Losses"], None] = lambda _: None,
        is_next: int = 0,
        run: Callable[[torch.Tensor], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.calls = 0  # of models since the last backward
        self.scalars = 0  # since the last call
        self.of_loss = 0  # the number of the loss; 0: there is none
        self._total = 0  # calls since the program began
        self._program = program
        self._ended = ended
        self._is_next = is_next
        self._run = run
        self._loss: Any = None  # a reference to that scalar

    def begin(self) -> None:
        self._program.before_model.append(self._call)
        self._program.before_backward.append(self._end)
        enter(self)

    def _run_loss(self) -> None:
        loss = self._loss() if self._loss is not None else None
        self._loss = None
        if loss is not None:
            self._run(loss)

    def _call(self, model: torch.nn.Module, inputs: Any) -> None:
        self._run_loss()
        if torch.is_grad_enabled():
            self._ended(self)
            self.calls, self._total = self.calls + 1, self._total + 1
            self.scalars = self.of_loss = 0

    def _end(self, _: Any) -> None:
        self._ended(self)
        self.calls = 0

    def __torch_function__(self, function: Any, types: Any, inputs: Any = (), named: Any = None) -> Any:
        if self._loss is not None:
            self._run_loss()
        result = function(*inputs, **(named or {}))
        is_scalar = self.calls > 0 and isinstance(result, torch.Tensor) and result.grad_fn is not None and result.numel() == 1
        if not is_scalar or self._program.is_in_forward() or self._program.is_in_autograd():
            return result
        self.scalars += 1
        is_sum = any(getattr(each, "_strata_call", self._total) < self._total for each in tensors_in([inputs, named]))
        setattr(result, "_strata_call", 0 if is_sum else self._total)
        if not is_sum:
            self.of_loss = self.scalars
            self._loss = weakref.ref(result) if self.scalars == self._is_next else None
        return result


def changes() -> List[Change]:
    return [BackwardOfEach()]
