# SPDX-License-Identifier: Apache-2.0
"""Calls a function once a module has been imported, even if its import is in progress."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Sequence

# Modules that changes wait for. Watched from the import of torch on, because a change may ask in the middle of the module's import.
_waits: Dict[str, List[Callable[[ModuleType], None]]] = {
    "accelerate.accelerator": [],
    "lightning.pytorch.trainer.trainer": [],
    "pytorch_lightning.trainer.trainer": [],
    "torch.distributed.fsdp._fully_shard._fully_shard": [],
    "torch.distributed.fsdp.fully_sharded_data_parallel": [],
    "transformers.training_args": [],
}


def watch() -> None:
    """Once is enough."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def when_imported(name: str, call: Callable[[ModuleType], None]) -> None:
    """Calls with the module, now or when its import has ended. `name`: one of those above, or a module whose import has not begun."""
    module: Any = sys.modules.get(name)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        call(module)
    else:
        _waits.setdefault(name, []).append(call)


def _call_ended() -> None:
    """Modules whose import began before there was a finder, as accelerate imports torch: checked at the next import of any module."""
    for name, calls in _waits.items():
        module: Any = sys.modules.get(name)
        if calls and module is not None and not getattr(module.__spec__, "_initializing", False):
            _waits[name] = []
            for call in calls:
                call(module)


class _Finder:
    """In sys.meta_path."""

    def __init__(self) -> None:
        self._asked: List[str] = []

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        _call_ended()
        if name not in _waits or name in self._asked:
            return None
        self._asked.append(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asked.remove(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                calls, _waits[name] = _waits[name], []
                for call in calls:
                    call(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
