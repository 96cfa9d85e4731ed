# SPDX-License-Identifier: Apache-2.0
"""torch.amp.GradScaler around the backward and the step of a loop without one."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable, List, Optional

import torch
from torch.amp.grad_scaler import GradScaler

from ..program import Program, replace


class Scaler:
    """`is_wanted`: no framework brings its own. A program with its own scaler keeps that."""

    def __init__(self, program: Program, is_wanted: Callable[[], bool]) -> None:
        self._is_wanted = is_wanted
        self._scaler: Any = None
        self._optimizers: List[Any] = []
        self._stepped: List[Any] = []  # since the last update
        self._is_stepping = False
        self._references_of_unnamed: Optional[int] = None
        self._is_counting = False
        self._is_making = self._has_own = False
        replace(GradScaler, "__init__", self._making)
        replace(torch.autograd, "backward", self._scaling)
        program.made_optimizer.append(self._made)

    def _making(self, make: Callable[..., None]) -> Callable[..., None]:
        def made(scaler: Any, *arguments: Any, **options: Any) -> None:
            make(scaler, *arguments, **options)
            self._has_own = self._has_own or (not self._is_making and scaler.is_enabled())

        return made

    def _scaling(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *arguments: Any, **options: Any) -> None:
            if self._is_counting:
                self._references_of_unnamed = sys.getrefcount(tensors)
                return
            if self._is_wanted() and not self._has_own and isinstance(tensors, torch.Tensor) and tensors.numel() == 1:
                if self._scaler is None:
                    self._is_making = True
                    self._scaler = GradScaler("cuda")
                    self._is_making = False
                scaled = self._scaler.scale(tensors)
                if sys.getrefcount(tensors) <= self._count_references():
                    tensors.data = torch.empty(0, dtype=tensors.dtype, device=tensors.device)
                tensors = scaled
            run(tensors, *arguments, **options)

        return backward

    def _count_references(self) -> int:
        """Counts references to a loss without a name: the program has dropped it once it is scaled."""
        if self._references_of_unnamed is None:
            self._is_counting = True
            try:
                torch.zeros(1, requires_grad=True).sum().backward()  # type: ignore[no-untyped-call]
            finally:
                self._is_counting = False
        return self._references_of_unnamed or 0

    def _made(self, optimizer: Any) -> None:
        self._optimizers.append(optimizer)
        step = type(optimizer).step

        def scaled_step(optimizer: Any, *arguments: Any, **options: Any) -> Any:
            if self._scaler is None or self._is_stepping:
                return step(optimizer, *arguments, **options)
            if any(each is optimizer for each in self._stepped):
                self._update()
            self._is_stepping = True
            try:
                self._scaler.step(optimizer)
            finally:
                self._is_stepping = False
            self._stepped.append(optimizer)
            if len(self._stepped) == len(self._optimizers):
                self._update()
            return None

        optimizer.step = types.MethodType(scaled_step, optimizer)

    def _update(self) -> None:
        self._scaler.update()
        self._stepped.clear()
