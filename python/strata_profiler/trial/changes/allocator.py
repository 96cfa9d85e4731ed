# SPDX-License-Identifier: Apache-2.0
"""torch.cuda.empty_cache() where a part of the step begins: free space in segments that nothing fits in goes back to the device."""

from __future__ import annotations

from typing import Any, List

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..program import Program
from .change import Change
from .frameworks import Frameworks


class EmptyCache(Change):
    group = "empty_cache"
    cost = "device waits"

    def __init__(self, part: str) -> None:
        super().__init__()
        self.part = part
        self.name = f"empty_cache before {part}"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def empty(*_: Any) -> None:
            torch.cuda.empty_cache()  # no effect if CUDA is not in use
            self.made += 1

        if self.part == "the step":
            register_optimizer_step_pre_hook(empty)
        else:
            program.before_backward.append(empty)

    def write(self, framework: str) -> str:
        return f"torch.cuda.empty_cache() before {'optimizer.step()' if self.part == 'the step' else 'backward'}"


def changes() -> List[Change]:
    return [EmptyCache("backward"), EmptyCache("the step")]
