# SPDX-License-Identifier: Apache-2.0
"""Number formats: autocast from the model's call to its backward, as in PyTorch's guide, and autocast without its cache."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..program import Program, call_site, replace
from .change import Change, ChangeOfCalls
from .frameworks import Frameworks
from .reached import Reached
from .scaler import Scaler

_Autocast: Any = torch.amp.autocast_mode.autocast


class Autocast(Change):
    group = "precision"
    same_training = False

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.short = "bf16" if dtype == torch.bfloat16 else "fp16"
        self.name = f"{self.short} autocast"
        self.cost = "8-bit precision" if dtype == torch.bfloat16 else "a scaled loss"
        self._open: Optional[Any] = None
        self._is_read = True  # values computed since then get a backward
        self._is_ours = True

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(formats=[], autocasts=False, unread=[])
        self._reached = Reached(program)

        def look(model: torch.nn.Module, _: Any) -> None:
            formats = {str(parameter.dtype) for parameter in model.parameters() if parameter.is_floating_point()}
            self.facts["formats"] = sorted(formats | set(self.facts["formats"]))

        def begin(module: torch.nn.Module, _: Any) -> None:
            if torch.is_autocast_enabled("cuda"):
                self.facts["autocasts"] = True

        program.before_model.append(look)
        program.before_module.append(begin)

    def reason(self) -> Optional[str]:
        self.facts["unread"] = self._reached.unread_sites()
        if self.facts["autocasts"]:
            return "the program uses autocast already"
        if "torch.float32" not in self.facts["formats"]:
            return "no parameter is in 32 bits"
        return None

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        frameworks.set_training_arguments.append(self._set_arguments)
        frameworks.set_accelerator.append(self._set_accelerator)
        frameworks.set_lightning.append(self._set_lightning)
        program.before_model.append(self._begin)
        program.after_model.insert(0, self._end_without_backward)
        program.before_backward.append(lambda _: self._end())
        register_optimizer_step_pre_hook(lambda *_: self._end())
        if self.dtype == torch.float16:
            Scaler(program, lambda: self._is_ours)

    def _set_arguments(self, arguments: Any) -> None:
        arguments.bf16, arguments.fp16 = self.dtype == torch.bfloat16, self.dtype == torch.float16
        self._made_by_switch()

    def _set_accelerator(self, named: Dict[str, Any]) -> None:
        named["mixed_precision"] = self.short
        self._made_by_switch()

    def _set_lightning(self, named: Dict[str, Any]) -> None:
        named["precision"] = "bf16-mixed" if self.dtype == torch.bfloat16 else "16-mixed"
        self._made_by_switch()

    def _made_by_switch(self) -> None:
        self._is_ours = False
        self.made += 1

    def _begin(self, model: torch.nn.Module, _: Any) -> None:
        if self._is_ours and self._open is None and not torch.is_autocast_enabled("cuda"):
            self._is_read = call_site() not in self.facts.get("unread", [])
            self._open = _Autocast("cuda", self.dtype)
            self._open.__enter__()
            self.made += 1

    def _end_without_backward(self, *_: Any) -> None:
        if not (torch.is_grad_enabled() and self._is_read):
            self._end()

    def _end(self) -> None:
        if self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None

    def write(self, framework: str) -> str:
        scaler = "" if self.dtype == torch.bfloat16 else "; torch.amp.GradScaler around backward and step"
        return {
            "transformers": f"TrainingArguments({self.short}=True)",
            "accelerate": f'Accelerator(mixed_precision="{self.short}")',
            "lightning": f'Trainer(precision="{"bf16-mixed" if self.short == "bf16" else "16-mixed"}")',
        }.get(framework, f'with torch.autocast("cuda", {self.dtype}): around forward and loss{scaler}')


class NoCacheOfCasts(ChangeOfCalls):
    name = "no cache of casts"
    group = "autocast cache"
    cost = "more casts"
    absent = "no autocast caches casts while gradients are disabled"

    def wrap(self, program: Program, occurs: Callable[[], None], changes: bool) -> None:
        def entering(enter: Callable[..., Any]) -> Callable[..., Any]:
            def entered(autocast: Any) -> Any:
                result = enter(autocast)
                if autocast._enabled and not torch.is_grad_enabled() and torch.is_autocast_cache_enabled():
                    occurs()
                    torch.set_autocast_cache_enabled(not changes)
                return result

            return entered

        replace(_Autocast, "__enter__", entering)

    def write(self, framework: str) -> str:
        return "torch.autocast(..., cache_enabled=False) in code without gradients"


def changes() -> List[Change]:
    return [Autocast(torch.bfloat16), Autocast(torch.float16), NoCacheOfCasts()]
