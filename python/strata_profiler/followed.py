# SPDX-License-Identifier: Apache-2.0
"""Follows attached models through a run: reports owners when they are created, and layers while they run."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set

import torch
from torch.optim import optimizer as torch_optimizer

from . import layers
from .owners import Owners
from .session import Session

if TYPE_CHECKING:
    from .attachment import AttachedModel

# An optimizer makes its state in its first steps, and rarely later.
_STEPS_LOOKED_AT = 3
_STEPS_UNTIL_ANOTHER_LOOK = 50


class Followed:
    """Belongs to one session. The optimizer hook is torch's global one and finds this object through `_current`."""

    def __init__(self, recording: Session) -> None:
        global _current
        self._session = recording
        self._owners = Owners(recording)
        self._models: List[AttachedModel] = []
        self._steps: Dict[int, int] = {}  # by id() of the optimizer
        self._stepped: Set[int] = set()  # ids of those whose hook has run since the last mark
        self._optimizers: Dict[int, "weakref.ref[Any]"] = {}
        self._hooks = [
            torch_optimizer.register_optimizer_step_pre_hook(before_optimizer_step),
            torch_optimizer.register_optimizer_step_post_hook(after_optimizer_step),
        ]
        self._has_layers = False
        _current = self

    def add(self, models: List[AttachedModel], optimizers: List[Any]) -> None:
        self._models = models
        for attached in models:
            model = attached.model()
            if model is None:
                continue
            self._owners.report_model(model, attached.prefix)
            if attached.layers:
                layers.add(model, attached.prefix)
                self._has_layers = True
        if self._has_layers:
            layers.begin(self._session, self._owners)
        for optimizer in optimizers:
            inner = getattr(optimizer, "optimizer", optimizer)  # accelerate wraps optimizers
            self._optimizers[id(inner)] = weakref.ref(inner)
            self._owners.report_optimizer(inner)

    def end(self) -> None:
        global _current
        _current = None
        for hook in self._hooks:
            hook.remove()
        if self._has_layers:
            layers.end()

    def before_step(self, optimizer: Any) -> None:
        """Gradients that autograd accumulates are reported by the source; those set by others (FSDP) are reported here."""
        if self._is_due(optimizer):
            for attached in self._models:
                model = attached.model()
                if model is not None:
                    self._owners.report_gradients(model, attached.prefix)

    def after_step(self, optimizer: Any) -> None:
        if not self._is_ours(optimizer):
            return
        self._stepped.add(id(optimizer))
        self._look_at_state(optimizer)

    def step_ends(self) -> None:
        """The program marked the end of a step. An optimizer whose step is compiled by torch.compile does not call hooks."""
        for key, reference in self._optimizers.items():
            optimizer = reference()
            if optimizer is not None and key not in self._stepped:
                self._look_at_state(optimizer)
        self._stepped.clear()

    def _look_at_state(self, optimizer: Any) -> None:
        if self._is_due(optimizer):
            self._owners.report_optimizer(optimizer)
        self._steps[id(optimizer)] = self._steps.get(id(optimizer), 0) + 1

    def _is_ours(self, optimizer: Any) -> bool:
        known = self._optimizers.get(id(optimizer))
        return known is not None and known() is optimizer

    def _is_due(self, optimizer: Any) -> bool:
        step = self._steps.get(id(optimizer), 0)
        return self._is_ours(optimizer) and (step < _STEPS_LOOKED_AT or step % _STEPS_UNTIL_ANOTHER_LOOK == 0)


_current: Optional[Followed] = None


def before_optimizer_step(optimizer: Any, arguments: Any, named: Any) -> None:
    if torch.compiler.is_compiling():
        return
    if _current is not None:
        _current.before_step(optimizer)


def after_optimizer_step(optimizer: Any, arguments: Any, named: Any) -> None:
    if torch.compiler.is_compiling():
        return
    if _current is not None:
        _current.after_step(optimizer)
