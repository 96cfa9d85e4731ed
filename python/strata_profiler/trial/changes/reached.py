# SPDX-License-Identifier: Apache-2.0
"""Finds the calls of models that a backward reaches."""

from __future__ import annotations

from typing import Any, Dict, List

import torch

from ..program import Program, call_site, tensors_in


class Reached:
    """For each call of a model: whether a backward reached its result, and which one. Holds no tensor."""

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
        call["rows"] = rows_of(inputs, named)
        self.calls.append(call)

        def mark(_: Any) -> None:
            call["backward"] = self._backwards

        for tensor in tensors_in(output):
            if tensor.grad_fn is not None:
                call["has_graph"] = True
                tensor.grad_fn.register_prehook(mark)

    def unread_sites(self) -> List[str]:
        """Lines that call a model whose graph no backward uses."""
        read = {call["site"] for call in self.calls if call["backward"] is not None}
        return sorted({call["site"] for call in self.calls if call["has_graph"]} - read)


def rows_of(inputs: Any, named: Any) -> int:
    """The first dimension of the first tensor that has one; 0 if there is none."""
    return next((len(tensor) for tensor in tensors_in([inputs, named]) if tensor.dim() > 0), 0)
