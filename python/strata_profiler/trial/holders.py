# SPDX-License-Identifier: Apache-2.0
"""Which Python objects keep more tensors from step to step (`strata exec --holders`).

At the end of the third step, the sixth, the twelfth and so on, all objects that the program's variables reach are visited once, the nearest first.
Each tensor on a card belongs to the variable from which it was reached. Memory that only a graph of backward keeps has no Python object; its
tensors are marked.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import types
from collections import deque
from typing import Any, Deque, Dict, Iterator, List, Optional, Set, Tuple

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

FIRST_LOOK = 3  # the first two steps make the optimizer's state
_MOST_OBJECTS = 5_000_000
_FOREIGN = (os.path.dirname(torch.__file__), os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SKIPPED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType, types.FrameType, type, str, bytes, int, float)


class Held:
    """Tensors of one variable: how many, their bytes on the card, how many have a graph of backward."""

    def __init__(self) -> None:
        self.tensors = self.bytes = self.graphs = 0


class Holders:
    def __init__(self, folder: str) -> None:
        self._file = os.path.join(folder, f"holders-{os.getpid()}.json")
        self._process = os.getpid()
        self._steps = 0
        self._next = FIRST_LOOK
        self._before: Optional[Dict[str, Held]] = None
        self._step_before = 0
        self._found: List[Dict[str, Any]] = []

    def stepped(self, *_: Any) -> None:
        self._steps += 1
        if self._steps < self._next:
            return
        self._next = 2 * self._steps
        now = look()
        if self._before is not None:
            self._compare(self._before, now)
        self._before, self._step_before = now, self._steps

    def _compare(self, before: Dict[str, Held], now: Dict[str, Held]) -> None:
        steps = self._steps - self._step_before
        found = []
        for name, held in now.items():
            earlier = before.get(name, Held())
            if held.tensors > earlier.tensors:
                found.append(
                    {
                        "holder": name,
                        "tensors": held.tensors,
                        "bytes": held.bytes,
                        "with_graph": held.graphs,
                        "tensors_per_step": (held.tensors - earlier.tensors) / steps,
                        "bytes_per_step": (held.bytes - earlier.bytes) / steps,
                    }
                )
        self._found = sorted(found, key=lambda each: -each["bytes"])
        partial = self._file + ".part"
        with open(partial, "w", encoding="utf-8") as file:
            json.dump({"schema": "strata.holders/1", "step": self._steps, "growing": self._found}, file, indent=2)
        os.replace(partial, self._file)

    def tell(self) -> None:
        """At the program's end."""
        if os.getpid() != self._process:
            return
        if self._before is None or self._steps < 2 * FIRST_LOOK:
            print(f"strata: --holders compares the tensors after steps {FIRST_LOOK} and {2 * FIRST_LOOK}: the program has fewer steps", file=sys.stderr)
        elif not self._found:
            print(f"strata: no Python variable held more tensors after step {self._step_before} than before", file=sys.stderr)
        for each in self._found[:10]:
            graph = f", {each['with_graph']} with a graph of backward, whose memory is not included" if each["with_graph"] else ""
            print(
                f"strata: {each['holder']} keeps {each['tensors']} tensors, {each['bytes'] / 2**20:.1f} MiB, and {each['tensors_per_step']:.3g} more"
                f" each step ({each['bytes_per_step'] / 2**20:.3f} MiB){graph}",
                file=sys.stderr,
            )


def begin(folder: str) -> None:
    """Watches the program's optimizers; one step is one of theirs, of the first that steps."""
    holders = Holders(folder)
    first: List[int] = []

    def stepped(optimizer: Any, *_: Any) -> None:
        first[:] = first or [id(optimizer)]
        if id(optimizer) == first[0]:
            holders.stepped()

    register_optimizer_step_post_hook(stepped)
    atexit.register(holders.tell)


def look() -> Dict[str, Held]:
    """The tensors on cards, by the variable that keeps them."""
    found: Dict[str, Held] = {}
    seen: Set[int] = set()
    storages: Set[int] = set()
    queue: Deque[Tuple[str, Any]] = deque(_variables())
    while queue and len(seen) < _MOST_OBJECTS:
        name, value = queue.popleft()
        if id(value) in seen or isinstance(value, _SKIPPED):
            continue
        seen.add(id(value))
        if issubclass(type(value), torch.Tensor):
            _count(value, found.setdefault(name, Held()), storages)
        else:
            queue.extend(_parts(name, value))
    return found


def _count(tensor: torch.Tensor, held: Held, storages: Set[int]) -> None:
    try:
        if not tensor.is_cuda:
            return
        storage = tensor.untyped_storage()
        key, size = storage.data_ptr(), storage.nbytes()
    except RuntimeError:  # a tensor without a storage
        return
    held.tensors += 1
    held.graphs += tensor.grad_fn is not None
    if key not in storages:
        held.bytes += size
    storages.add(key)


def _is_foreign(file: Optional[str]) -> bool:
    return not file or file.startswith(_FOREIGN) or file.startswith("<")


def _variables() -> Iterator[Tuple[str, Any]]:
    """Those of running functions, the innermost first, and those of modules, the main one first."""
    frame: Optional[types.FrameType] = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if not _is_foreign(code.co_filename) and code.co_name != "<module>":
            for name, value in frame.f_locals.items():
                yield f"`{name}` in {code.co_name}() of {os.path.basename(code.co_filename)}", value
        frame = frame.f_back
    modules = sorted(list(sys.modules.items()), key=lambda item: item[0] != "__main__")
    for _, module in modules:
        file = getattr(module, "__file__", None)
        if _is_foreign(file):
            continue
        for name, value in list(vars(module).items()):
            yield f"`{name}` of {os.path.basename(str(file))}", value


def _parts(name: str, value: Any) -> Iterator[Tuple[str, Any]]:
    """What an object holds; elements of lists and dictionaries share a name."""
    if isinstance(value, dict):
        for key, each in list(value.items()):
            yield _with(name, f"[{key!r}]" if isinstance(key, str) else "[...]"), each
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        for each in list(value):
            yield _with(name, "[...]"), each
    elif isinstance(getattr(value, "__dict__", None), dict):
        for key, each in list(vars(value).items()):
            yield _with(name, f".{key}"), each
        for each in gc.get_referents(value):
            if each is not vars(value):
                yield name, each
    elif gc.is_tracked(value):
        for each in gc.get_referents(value):
            yield name, each


def _with(name: str, part: str) -> str:
    """The part goes into the quotes: `log['losses'][...]` of train.py."""
    quoted, quote, place = name.rpartition("`")
    return name if quoted.endswith(part) else f"{quoted}{part}{quote}{place}"
