# SPDX-License-Identifier: Apache-2.0
"""For a program that attaches nothing itself: finds its models and optimizers among its objects and attaches them.

Called once by the source `torch` under `strata exec --layers` (sources/torch/training/program_layers.hpp).
"""

from __future__ import annotations

import gc
from typing import Any, Dict, List, Set, Tuple

import torch

from . import attachment, layers, model_names, session


def report_layers() -> None:
    """Has no effect if the program has attached its own models."""
    recording = session.current()
    if recording is None or attachment.is_used():
        return
    models, optimizers = find_trained()
    attachment.attach(model_names.named(models), optimizers, layers=True)
    layers.open_running()


def find_trained() -> Tuple[List[torch.nn.Module], List[Any]]:
    """Modules that are not part of another and hold parameters, largest first; and optimizers."""
    kinds: Dict[type, str] = {}
    modules: List[torch.nn.Module] = []
    optimizers: List[Any] = []
    for thing in gc.get_objects():
        kind = type(thing)  # not __class__, which a proxy may compute
        known = kinds.get(kind)
        if known is None:
            known = kinds[kind] = _kind_of(kind)
        if known == "module":
            modules.append(thing)
        elif known == "optimizer":
            optimizers.append(thing)
    roots = [module for module in _roots_of(modules) if _elements(module) > 0]
    return sorted(roots, key=_elements, reverse=True), optimizers


def _kind_of(kind: type) -> str:
    if issubclass(kind, torch.nn.Module):
        return "module"
    return "optimizer" if issubclass(kind, torch.optim.Optimizer) else "other"


def _roots_of(modules: List[torch.nn.Module]) -> List[torch.nn.Module]:
    """Modules that no other module reaches. Of modules that reach each other, such as a child that holds its parent, the first."""
    reached: Set[int] = set()
    starts = [module for module in modules if _reach(module, reached)]
    reached.clear()
    # No start reaches a later one.
    return [module for module in reversed(starts) if _reach(module, reached)][::-1]


def _reach(module: torch.nn.Module, reached: Set[int]) -> bool:
    """Adds the modules that `module` reaches. Returns whether it had not been reached before."""
    if id(module) in reached:
        return False
    ahead = [module]
    while ahead:
        part = ahead.pop()
        if id(part) not in reached:
            reached.add(id(part))
            ahead += _parts_of(part)
    return True


def _parts_of(module: torch.nn.Module) -> List[Any]:
    # A module created without __init__ (a copy in progress) has none yet.
    return [part for part in module.__dict__.get("_modules", {}).values() if part is not None]


def _elements(module: torch.nn.Module) -> int:
    if "_parameters" not in module.__dict__:
        return 0
    return sum(parameter.numel() for parameter in module.parameters())
