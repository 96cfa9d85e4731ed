# SPDX-License-Identifier: Apache-2.0
"""The owner of each storage: reports the parameters, buffers, gradients and optimizer state of a training to the session by name."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from . import session
from .names import plain_name
from .session import Session

# State is in lists and mappings of an optimizer, at most this deep.
_STATE_DEPTH = 4
# Arguments of models, in addition to the batch, from which they compute a loss themselves.
_TARGETS = ("labels", "label", "target", "targets")


def storages(tensor: torch.Tensor, depth: int = 0) -> Iterator[torch.Tensor]:
    """The plain tensors that make up a tensor: itself, or those wrapped by a subclass (DTensor, quantized weights)."""
    flatten = getattr(type(tensor), "__tensor_flatten__", None)
    if flatten is None or depth > 3:
        yield tensor
        return
    for name in flatten(tensor)[0]:
        inner = getattr(tensor, name, None)
        if isinstance(inner, torch.Tensor):
            yield from storages(inner, depth + 1)


def _address(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):  # a fake or sparse tensor, which has none
        return 0


class Owners:
    """Reports each storage once, and again when another tensor has taken its place.

    Refers to no tensor, not even weakly: torch.utils.swap_tensors, by which a module moves DTensors to another device, would refuse it.
    """

    def __init__(self, recording: Session) -> None:
        self._session = recording
        self._told: Dict[int, Tuple[StorageWeakRef, int]] = {}  # by address: the storage, and id() of the tensor
        self._models: List["weakref.ref[torch.nn.Module]"] = []

    def report_model(self, model: torch.nn.Module, prefix: str = "") -> None:
        self._models.append(weakref.ref(model))
        parameter_role = session.EMA if type(model).__name__ == "AveragedModel" else session.PARAMETER
        for name, parameter in _plainly(model.named_parameters(prefix)):
            self._tell(parameter_role, name, parameter)
        for name, buffer in _plainly(model.named_buffers(prefix)):
            self._tell(session.BUFFER, name, buffer)

    def report_gradients(self, model: torch.nn.Module, prefix: str = "") -> None:
        for name, parameter in _plainly(model.named_parameters(prefix)):
            if parameter.grad is not None:
                self._tell(session.GRADIENT, name, parameter.grad, parameter)

    def report_inputs(self, inputs: Tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """The arguments of a model: the batch, whose labels are the target."""
        for name, tensor in _tensors_in({**{f"input.{index}": value for index, value in enumerate(inputs)}, **named}):
            if not tensor.requires_grad:
                self._tell(session.TARGET if name.split(".")[0] in _TARGETS else session.INPUT, name, tensor)

    def report_optimizer(self, optimizer: Any) -> None:
        """Its parameters, if no model names them, and all its state for each."""
        named = {id(parameter) for reference in self._models if (model := reference()) is not None for parameter in model.parameters()}
        for group, settings in enumerate(optimizer.param_groups):
            for index, parameter in enumerate(settings["params"]):
                if id(parameter) not in named:
                    self._tell(session.PARAMETER, f"group{group}.{index}", parameter)
            for key, value in settings.items():
                if isinstance(value, torch.Tensor):
                    self._tell(session.OPTIMIZER_STATE, key, value)
        for parameter, state in list(optimizer.state.items()):
            owner = parameter if isinstance(parameter, torch.Tensor) else None
            for name, tensor in _tensors_in(state):
                self._tell(session.OPTIMIZER_STATE, name, tensor, owner)

    def _tell(self, role: int, name: str, tensor: torch.Tensor, owner: Optional[torch.Tensor] = None) -> None:
        owner_address = 0 if owner is None else next((_address(part) for part in storages(owner)), 0)
        for part in storages(tensor):
            address = _address(part)
            told = self._told.get(address)
            if address == 0 or (told is not None and told[1] == id(part) and not told[0].expired()):  # type: ignore[no-untyped-call]
                continue
            self._told[address] = (StorageWeakRef(part.untyped_storage()), id(part))  # type: ignore[no-untyped-call]
            self._session.tensor(
                role,
                name,
                str(part.dtype).replace("torch.", ""),
                part.device.type,
                part.device.index or 0,
                address,
                part.untyped_storage().nbytes(),
                owner_address,
                part.shape,
                role == session.PARAMETER and not tensor.requires_grad,
            )


def _plainly(named: Iterable[Tuple[str, torch.Tensor]]) -> Iterator[Tuple[str, torch.Tensor]]:
    return ((plain_name(name), tensor) for name, tensor in named)


def _tensors_in(state: Any, name: str = "", depth: int = 0) -> Iterator[Tuple[str, torch.Tensor]]:
    if isinstance(state, torch.Tensor):
        yield name, state
    elif depth < _STATE_DEPTH and isinstance(state, (Mapping, list, tuple)):
        for key, value in list(state.items()) if isinstance(state, Mapping) else enumerate(state):
            yield from _tensors_in(value, f"{name}.{key}" if name else str(key), depth + 1)
