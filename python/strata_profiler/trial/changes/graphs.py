# SPDX-License-Identifier: Apache-2.0
"""What autograd keeps: graphs that no backward reads, outputs kept on the host, a backward of each loss in place of one of their sum."""

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Optional, Set, Tuple

import torch
from torch.overrides import TorchFunctionMode

from ..program import Program, call_site, enter, tensors_in
from .change import Change
from .frameworks import Frameworks


class _Reached:
    """Of each call of a model, whether a backward came to what it returned, and which one. It holds no tensor."""

    def __init__(self, program: Program) -> None:
        self.calls: List[Dict[str, Any]] = []
        self._backwards = 0
        program.before_model.append(self._begin)
        program.after_model.append(self._end)
        program.before_backward.append(self._count)

    def _count(self, _: Any) -> None:
        self._backwards += 1

    def _begin(self, model: torch.nn.Module, inputs: Any) -> None:
        self._site = call_site()
        self._taken = any(tensor.requires_grad and not tensor.is_leaf for tensor in tensors_in(inputs))

    def _end(self, model: torch.nn.Module, inputs: Any, named: Any, output: Any) -> None:
        call: Dict[str, Any] = {"model": id(model), "site": self._site, "backward": None, "has_graph": False, "goes_on": self._taken}
        self.calls.append(call)

        def mark(_: Any) -> None:
            call["backward"] = self._backwards

        for tensor in tensors_in(output):
            if tensor.grad_fn is not None:
                call["has_graph"] = True
                tensor.grad_fn.register_prehook(mark)


class NoGraph(Change):
    """torch.no_grad() around calls of a model whose graph no backward reads."""

    name = "no_grad where no backward comes"
    group = "no_grad"

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self._reached = _Reached(program)

    def reason(self) -> Optional[str]:
        calls = self._reached.calls
        read = {call["site"] for call in calls if call["backward"] is not None}
        self.facts["sites"] = sorted({call["site"] for call in calls if call["has_graph"]} - read)
        return None if self.facts["sites"] else "a backward reads every graph"

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
    cost = "copies to the host and back"

    def __init__(self) -> None:
        super().__init__()
        self._open: Optional[Any] = None

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self._reached = _Reached(program)

    def reason(self) -> Optional[str]:
        return None if any(call["backward"] is not None for call in self._reached.calls) else "no backward was seen"

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


class BackwardOfEach(Change):
    """Where one backward goes through several calls of a model."""

    name = "a backward for each loss"
    group = "backward"

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self._reached = _Reached(program)

    def reason(self) -> Optional[str]:
        read: Set[Tuple[int, int]] = set()
        for call in self._reached.calls:
            if call["backward"] is None:
                continue
            if (call["model"], call["backward"]) in read:
                return "what a model returned goes into its next call" if call["goes_on"] else None
            read.add((call["model"], call["backward"]))
        return "each backward goes through one forward"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        losses = _Scalars(program)
        enter(losses)
        waiting: Set[int] = set()  # models that were called since the last backward

        def begin(model: torch.nn.Module, inputs: Any) -> None:
            if not torch.is_grad_enabled() or id(model) not in waiting:
                return
            loss = losses.last()
            if loss is None:
                self.refuse("there is no loss yet where the model is called again")
            else:
                self.made += 1
                program.run_backward(loss)
                loss.detach_()

        def end(model: torch.nn.Module, *_: Any) -> None:
            if torch.is_grad_enabled():
                waiting.add(id(model))

        program.before_model.append(begin)
        program.after_model.append(end)
        program.before_backward.append(lambda _: waiting.clear())

    def write(self, framework: str) -> str:
        return "loss.backward() behind each forward, in place of one backward of the sum"


class _Scalars(TorchFunctionMode):
    """Keeps in mind the scalar that was computed last outside of models and has a gradient."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self._last: Any = None

    def last(self) -> Optional[torch.Tensor]:
        loss: Optional[torch.Tensor] = self._last() if self._last is not None else None
        return loss if loss is not None and loss.grad_fn is not None else None

    def __torch_function__(self, function: Any, types: Any, inputs: Any = (), named: Any = None) -> Any:
        result = function(*inputs, **(named or {}))
        if isinstance(result, torch.Tensor) and result.numel() == 1 and result.grad_fn is not None and not self._program.is_in_forward():
            self._last = weakref.ref(result)
        return result


def changes() -> List[Change]:
    return [NoGraph(), Offload(), BackwardOfEach()]
