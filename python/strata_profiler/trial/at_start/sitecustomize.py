# SPDX-License-Identifier: Apache-2.0
"""Python imports this before the program's first line. It waits for torch, and then runs the sitecustomize that it hides."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Optional, Sequence

_HERE = os.path.dirname(os.path.abspath(__file__))


class _WaitForTorch:
    """A finder in sys.meta_path: torch is imported as usual, and then `_begin` is called. Only asking where torch is, as transformers does, does
    not import anything.
    """

    is_asking = False

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        if name != "torch" or self.is_asking:
            return None
        self.is_asking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.is_asking = False
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                _begin()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _run(spec: Optional[ModuleSpec]) -> Optional[ModuleType]:
    if spec is None or spec.loader is None:
        return None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _begin() -> None:
    """Under a name of its own, because the program may import strata_profiler from elsewhere."""
    folder = os.path.dirname(_HERE)
    place = os.path.join(folder, "__init__.py")
    trial = _run(importlib.util.spec_from_file_location("_strata_trial", place, submodule_search_locations=[folder]))
    if trial is not None:
        trial.begin()


def _go_on_with_the_hidden() -> None:
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    _run(importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path))


if any(os.environ.get(name) for name in ("STRATA_TRIAL_STEPS", "STRATA_JOB", "STRATA_HOLDERS")):
    sys.meta_path.insert(0, _WaitForTorch())
_go_on_with_the_hidden()
