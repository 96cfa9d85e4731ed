# SPDX-License-Identifier: Apache-2.0
"""The same layers with less memory: attention in one kernel, the loss in pieces."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import torch
from torch.utils.checkpoint import checkpoint

from ..program import Program, call_site, replace
from .change import Change
from .frameworks import Frameworks

PIECES = 8


class Attention(Change):
    """scaled_dot_product_attention if a model has a switch for it: transformers' models, torch's own attention."""

    name = "attention in one kernel"
    group = "attention"
    within_models = True

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(has_switch=False, weights=False, written=[], sdpa=False)

        def look(model: torch.nn.Module, _: Any) -> None:
            if any(_has_switch(part) for part in model.modules()):
                self.facts["has_switch"] = True

        def attending(attend: Callable[..., Any]) -> Callable[..., Any]:
            def forward(module: Any, *inputs: Any, **named: Any) -> Any:
                if len(inputs) < 5 and named.get("need_weights", True):
                    self.facts["weights"] = True
                return attend(module, *inputs, **named)

            return forward

        def softening(run: Callable[..., Any]) -> Callable[..., Any]:
            def softmax(scores: Any, *inputs: Any, **named: Any) -> Any:
                if isinstance(scores, torch.Tensor) and scores.dim() >= 3 and scores.requires_grad and program.is_in_forward():
                    site = call_site()
                    if site not in self.facts["written"]:
                        self.facts["written"].append(site)
                return run(scores, *inputs, **named)

            return softmax

        program.before_model.append(look)
        replace(torch.nn.MultiheadAttention, "forward", attending)
        for owner in (torch, torch.nn.functional, torch.Tensor):
            replace(owner, "softmax", softening)

    def reason(self) -> Optional[str]:
        if self.facts["has_switch"] or self.facts["weights"]:
            return None
        if self.facts["written"]:
            return f"it is written out in single operations at {self.facts['written'][0]}: call scaled_dot_product_attention there"
        return "no attention is written out"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def set_(model: torch.nn.Module, _: Any) -> None:
            for part in model.modules():
                if _has_switch(part):
                    part.set_attn_implementation("sdpa")  # type: ignore[operator]
                    self.made += 1

        def attending(attend: Callable[..., Any]) -> Callable[..., Any]:
            def forward(module: Any, *inputs: Any, **named: Any) -> Any:
                if len(inputs) < 5 and named.get("need_weights", True):
                    named["need_weights"] = False
                    self.made += 1
                return attend(module, *inputs, **named)

            return forward

        program.before_model.append(set_)
        replace(torch.nn.MultiheadAttention, "forward", attending)

    def write(self, framework: str) -> str:
        if self.facts.get("has_switch"):
            return 'model.set_attn_implementation("sdpa")'
        return "MultiheadAttention's call with need_weights=False"


def _has_switch(part: torch.nn.Module) -> bool:
    return hasattr(part, "set_attn_implementation") and getattr(getattr(part, "config", None), "_attn_implementation", "") == "eager"


class LossInPieces(Change):
    """cross_entropy over some rows at a time, recomputed in backward."""

    name = f"cross_entropy in {PIECES} pieces"
    group = "loss"
    cost = "the loss twice"
    _is_in_piece = False  # a TorchFunctionMode calls the replaced function again

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts.update(rows=0, site="")

        def looking(run: Callable[..., Any]) -> Callable[..., Any]:
            def cross_entropy(logits: Any, target: Any, *inputs: Any, **named: Any) -> Any:
                if _takes(logits, target, inputs, named):
                    self.facts["rows"] = max(self.facts["rows"], len(logits))
                    self.facts["site"] = self.facts["site"] or call_site()
                return run(logits, target, *inputs, **named)

            return cross_entropy

        replace(torch.nn.functional, "cross_entropy", looking)

    def reason(self) -> Optional[str]:
        if self.facts["rows"] == 0:
            return "no cross_entropy of rows and classes was computed"
        return None if self.facts["rows"] >= PIECES else f"its loss has only {self.facts['rows']} rows"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def cutting(run: Callable[..., Any]) -> Callable[..., Any]:
            def cross_entropy(logits: Any, target: Any, *inputs: Any, **named: Any) -> Any:
                if self._is_in_piece or not _takes(logits, target, inputs, named) or len(logits) < PIECES:
                    return run(logits, target, *inputs, **named)
                self.made += 1
                ignored = named.get("ignore_index", -100)

                def sum_of(some: Any, targets: Any) -> Any:
                    self._is_in_piece = True
                    try:
                        return run(some, targets, ignore_index=ignored, reduction="sum")
                    finally:
                        self._is_in_piece = False

                loss: Any = 0
                for some, targets in zip(logits.chunk(PIECES), target.chunk(PIECES)):
                    loss = loss + checkpoint(sum_of, some, targets, use_reentrant=False)
                return loss if named.get("reduction") == "sum" else loss / (target != ignored).sum()

            return cross_entropy

        replace(torch.nn.functional, "cross_entropy", cutting)

    def write(self, framework: str) -> str:
        return f"checkpoint(cross_entropy, rows, targets, reduction='sum') over logits.chunk({PIECES}), added up, in place of {self.facts.get('site', '')}"


def _takes(logits: Any, target: Any, inputs: Any, named: Any) -> bool:
    others = set(named) - {"ignore_index", "reduction"}
    return (
        isinstance(logits, torch.Tensor)
        and logits.requires_grad
        and logits.dim() == 2
        and target.dim() == 1
        and not inputs
        and named.get("reduction", "mean") in ("mean", "sum")
        and all(named[key] in (None, 0.0) for key in others)
    )


def changes() -> List[Change]:
    return [Attention(), LossInPieces()]
