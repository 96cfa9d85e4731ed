# SPDX-License-Identifier: Apache-2.0
"""Memory that autograd keeps: graphs without a backward, and saved tensors on the device."""

from __future__ import annotations

from typing import Any, List, Optional

import torch

from ..program import Program, call_site
from .change import Change
from .frameworks import Frameworks
from .reached import Reached


class NoGraph(Change):
    """torch.no_grad() around calls of a model whose graph no backward uses."""

    name = "no_grad where no backward comes"
    group = "no_grad"

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self._reached = Reached(program)

    def reason(self) -> Optional[str]:
        self.facts["sites"] = self._reached.unread_sites()
        return None if self.facts["sites"] else "every graph is used by a backward"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        sites = set(self.facts["sites"])
        open_: List[Any] = []

        def begin(model: torch.nn.Module, inputs: Any) -> None:
            if torch.is_grad_enabled() and call_site() in sites:
                self.made += 1
                open_.append(torch.no_grad())
                open_[-1].__enter__()

        def end(*_: Any) -> None:
            if open_:
                open_.pop().__exit__(None, None, None)

        program.before_model.append(begin)
        program.after_model.insert(0, end)

    def write(self, framework: str) -> str:
        places = self.facts.get("sites", [])
        return f"with torch.no_grad(): around the model's call at {', '.join(places[:3])}{', ...' if len(places) > 3 else ''}"


class Offload(Change):
    name = "saved tensors on the host"
    group = "checkpointing"  # which saves less, and not under these hooks
    cost = "host copies"

    def __init__(self) -> None:
        super().__init__()
        self._open: Optional[Any] = None

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self._reached = Reached(program)

    def reason(self) -> Optional[str]:
        if not any(call["backward"] is not None for call in self._reached.calls):
            return "no backward was seen"
        # Host tensors use host memory, also with a simulated GPU.
        most, free = torch.cuda.max_memory_allocated() >> 30, _free_host_memory() >> 30
        return f"its trial may need {most} GiB of host memory, and {free} GiB are free" if 2 * most > free else None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def begin(model: torch.nn.Module, inputs: Any) -> None:
            if torch.is_grad_enabled() and self._open is None:
                self._open = torch.autograd.graph.save_on_cpu(pin_memory=True)
                self._open.__enter__()
                self.made += 1

        def end(*_: Any) -> None:
            if self._open is not None:
                self._open.__exit__(None, None, None)
                self._open = None

        program.before_model.append(begin)
        program.after_model.insert(0, end)

    def write(self, framework: str) -> str:
        return "with torch.autograd.graph.save_on_cpu(pin_memory=True): around the model's call"


def _free_host_memory() -> int:
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:"))


def changes() -> List[Change]:
    return [NoGraph(), Offload()]
