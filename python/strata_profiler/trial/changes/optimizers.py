# SPDX-License-Identifier: Apache-2.0
"""The optimizer: how its step is computed, how its state is stored, and what zero_grad leaves."""

from __future__ import annotations

import functools
import importlib.util
import inspect
from typing import Any, Callable, Dict, List, Optional

import torch

from ..program import Program, replace
from .change import Change, ChangeOfCalls
from .frameworks import Frameworks

_HAS_BITSANDBYTES = importlib.util.find_spec("bitsandbytes") is not None


class Form(Change):
    """fused, foreach or neither: one of PyTorch's three ways to compute the same step."""

    group = "optimizer form"

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word
        self.name = {"fused": "a fused optimizer", "foreach": "a foreach optimizer", "loop": "an optimizer loop"}[word]
        self.cost = {"fused": "fewer kernels", "foreach": "large temporaries", "loop": "many kernels"}[word]

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(kind="", forms=[], form="")
        program.made_optimizer.append(self._look)

    def _look(self, optimizer: Any) -> None:
        has = [word for word in ("fused", "foreach") if word in optimizer.defaults]
        if not has:
            self.facts["kind"] = self.facts["kind"] or type(optimizer).__name__
            return
        fused, foreach = optimizer.defaults.get("fused"), optimizer.defaults.get("foreach")
        # PyTorch's default on CUDA.
        form = "fused" if fused else "foreach" if foreach or (foreach is None and fused is None) else "loop"
        self.facts.update(kind=type(optimizer).__name__, forms=["loop", *has], form=form)

    def reason(self) -> Optional[str]:
        kind = self.facts["kind"]
        if not kind:
            return "the program creates no PyTorch optimizer"
        if self.word not in self.facts["forms"]:
            return f"{kind} has no such implementation"
        return "the optimizer already is one" if self.facts["form"] == self.word else None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        for kind in [kind for kind in vars(torch.optim).values() if isinstance(kind, type)]:
            takes = inspect.signature(kind).parameters
            form = {word: word == self.word for word in ("fused", "foreach") if word in takes}
            if form:
                replace(kind, "__init__", functools.partial(self._making, form))

    def _making(self, form: Dict[str, bool], make: Callable[..., None]) -> Callable[..., None]:
        def made(optimizer: Any, *arguments: Any, **options: Any) -> None:
            make(optimizer, *arguments, **{**options, **form})
            self.made += 1

        return made

    def write(self, framework: str) -> str:
        words = {"fused": "fused=True", "foreach": "foreach=True", "loop": "foreach=False, fused=False"}[self.word]
        if framework == "transformers" and self.facts.get("kind") == "AdamW":
            if self.word == "fused":
                return 'TrainingArguments(optim="adamw_torch_fused")'
            if self.word == "foreach":
                return 'TrainingArguments(optim="adamw_torch")'
            return "Trainer(optimizers=(torch.optim.AdamW(model.parameters(), foreach=False, fused=False), None))"
        return f"torch.optim.{self.facts.get('kind', 'AdamW')}(..., {words})"


class OtherOptimizer(Change):
    """Another optimizer instead of Adam or AdamW."""

    group = "optimizer"
    same_training = False

    def __init__(self, name: str, cost: str, in_transformers: str) -> None:
        super().__init__()
        self.name = name
        self.cost = cost
        self.in_transformers = in_transformers

    def optimizer(self, kind: str, parameters: Any, options: Dict[str, Any]) -> Any:
        raise NotImplementedError

    def kind(self) -> str:
        """The first optimizer that is replaced."""
        return next((kind for kind in self.facts.get("kinds", []) if kind in ("Adam", "AdamW")), "AdamW")

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts["kinds"] = []
        program.made_optimizer.append(lambda optimizer: self.facts["kinds"].append(type(optimizer).__name__))

    def reason(self) -> Optional[str]:
        kinds = set(self.facts["kinds"])
        if not kinds & {"Adam", "AdamW"}:
            return "the optimizer is not PyTorch's Adam or AdamW"
        return None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        frameworks.set_training_arguments.append(self._set_arguments)
        for kind in (torch.optim.Adam, torch.optim.AdamW):
            self._replace(kind)

    def _set_arguments(self, arguments: Any) -> None:
        arguments.optim = self.in_transformers
        self.made += 1

    def _replace(self, replaced: Any) -> None:
        change = self

        def make(kind: Any, parameters: Any = None, *inputs: Any, **options: Any) -> Any:
            if kind is not replaced:
                return object.__new__(kind)
            if inputs:
                options["lr"] = inputs[0]
            change.made += 1
            return change.optimizer(replaced.__name__, parameters, options)

        replaced.__new__ = make


class EightBit(OtherOptimizer):
    """The Adam of bitsandbytes, with 8-bit state."""

    def __init__(self) -> None:
        super().__init__("8-bit Adam", "coarser state", "adamw_bnb_8bit")

    def reason(self) -> Optional[str]:
        return super().reason() or (None if _HAS_BITSANDBYTES else "bitsandbytes is not installed")

    def optimizer(self, kind: str, parameters: Any, options: Dict[str, Any]) -> Any:
        import bitsandbytes.optim as eight_bit

        taken = {key: options[key] for key in ("lr", "betas", "eps", "weight_decay") if key in options}
        return getattr(eight_bit, f"{kind}8bit")(parameters, **taken)

    def write(self, framework: str) -> str:
        return 'TrainingArguments(optim="adamw_bnb_8bit")' if framework == "transformers" else f"bitsandbytes.optim.{self.kind()}8bit(...)"


class Adafactor(OtherOptimizer):
    def __init__(self) -> None:
        super().__init__("Adafactor", "another optimizer", "adafactor")

    def optimizer(self, kind: str, parameters: Any, options: Dict[str, Any]) -> Any:
        taken = {key: options[key] for key in ("lr", "weight_decay") if key in options}
        return torch.optim.Adafactor(parameters, **taken)

    def write(self, framework: str) -> str:
        return 'TrainingArguments(optim="adafactor")' if framework == "transformers" else "torch.optim.Adafactor(...)"


class SetToNone(ChangeOfCalls):
    name = "gradients set to none"
    group = "zero_grad"
    absent = "no zero_grad(set_to_none=False) was called"

    def wrap(self, program: Program, occurs: Callable[[], None], changes: bool) -> None:
        def zeroing(zero: Callable[..., None]) -> Callable[..., None]:
            def zero_grad(thing: Any, set_to_none: bool = True) -> None:
                if not set_to_none:
                    occurs()
                zero(thing, set_to_none=set_to_none or changes)

            return zero_grad

        for kind in (torch.optim.Optimizer, torch.nn.Module):
            replace(kind, "zero_grad", zeroing)

    def write(self, framework: str) -> str:
        return "optimizer.zero_grad(), without set_to_none=False"


def changes() -> List[Change]:
    return [Form("fused"), Form("foreach"), Form("loop"), EightBit(), Adafactor(), SetToNone()]
