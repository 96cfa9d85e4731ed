# SPDX-License-Identifier: Apache-2.0
"""`strata.attach`: registers models and optimizers, so that every run of this process reports their layers and owners."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Union

from . import model_names, session

if TYPE_CHECKING:
    import torch

    from .followed import Followed

    Models = Union["torch.nn.Module", Iterable["torch.nn.Module"], Mapping[str, "torch.nn.Module"]]
    Optimizers = Union["torch.optim.Optimizer", Iterable["torch.optim.Optimizer"]]


class AttachedModel:
    """Holds the model weakly: attaching a model does not keep its memory alive."""

    __slots__ = ("_model", "prefix", "layers")

    def __init__(self, model: "torch.nn.Module", prefix: str, layers: bool) -> None:
        self._model = weakref.ref(model)
        self.prefix = prefix
        self.layers = layers

    def model(self) -> Optional["torch.nn.Module"]:
        return self._model()


_models: Dict[int, AttachedModel] = {}  # by id() of the model
_optimizers: Dict[int, "weakref.ref[Any]"] = {}
_followed: Optional["Followed"] = None


def attach(
    model: Optional["Models"] = None, optimizer: Optional["Optimizers"] = None, *, layers: bool = True
) -> None:
    """From now on, runs of this process name the parameters, gradients, buffers and optimizer state of these models, and their layers.

    Pass one or several models and optimizers. For a mapping of models, its keys are put before their names: `{"generator": ..., "critic": ...}`.
    Call it once, after both were created. If nothing is being recorded they are only remembered, weakly. `layers=False` omits the module hooks.
    """
    for prefix, one in _named_models(model).items():
        _models[id(one)] = AttachedModel(one, prefix, layers)
        model_names.keep(one, prefix)
    for other in _several(optimizer, "optimizer", "param_groups", "a torch.optim.Optimizer"):
        _optimizers[id(other)] = weakref.ref(other)
    recording = session.current()
    if recording is not None:
        follow(recording)


def follow(recording: session.Session) -> None:
    """Reports everything that is attached to `recording`, now and from now on."""
    global _followed
    if "torch" not in sys.modules or not is_used():
        return
    from .followed import Followed

    if _followed is None:
        _followed = Followed(recording)
    _followed.add(
        [attached for attached in _models.values() if attached.model() is not None],
        [optimizer for optimizer in (reference() for reference in _optimizers.values()) if optimizer is not None],
    )


def is_used() -> bool:
    """Whether anything attached is still alive."""
    return any(attached.model() is not None for attached in _models.values()) or any(
        reference() is not None for reference in _optimizers.values()
    )


def step_ends() -> None:
    if _followed is not None:
        _followed.step_ends()


def leave() -> None:
    """Recording has ended."""
    global _followed
    if _followed is not None:
        _followed.end()
        _followed = None


def _named_models(model: Any) -> Dict[str, Any]:
    if isinstance(model, Mapping) and not hasattr(model, "named_parameters"):
        _several(list(model.values()), "model", "named_parameters", "a torch.nn.Module")
        return {str(key): one for key, one in model.items()}
    several = _several(model, "model", "named_parameters", "a torch.nn.Module")
    if len(several) == 1:
        return {"": several[0]}
    names: Dict[str, Any] = {}
    for one in several:
        names[model_names.first_free(type(one).__name__, names)] = one
    return names


def _several(value: Any, argument: str, attribute: str, expected: str) -> List[Any]:
    if value is None:
        return []
    try:
        items = [value] if hasattr(value, attribute) else list(value)
    except TypeError:
        items = [value]
    for item in items:
        if not hasattr(item, attribute):
            raise TypeError(f"strata.attach: {argument}: expected {expected}, or several, and got {type(item).__name__}")
    return items
