# SPDX-License-Identifier: Apache-2.0
"""Several ranks: DistributedDataParallel's buckets, and when FSDP reduces."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, List, Optional

import torch

from ..imports import when_imported
from ..program import Program, replace
from .change import Change
from .frameworks import Frameworks


class BucketViews(Change):
    name = "gradients as bucket views"
    group = "ddp"

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts["copies"] = False

        def look(named: Any) -> None:
            if not named.get("gradient_as_bucket_view", False):
                self.facts["copies"] = True

        self._wrap(look)

    def reason(self) -> Optional[str]:
        return None if self.facts["copies"] else "no DistributedDataParallel copies gradients"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def view(named: Any) -> None:
            named["gradient_as_bucket_view"] = True
            self.made += 1

        self._wrap(view)

    @staticmethod
    def _wrap(set_: Callable[[Any], None]) -> None:
        def making(make: Callable[..., None]) -> Callable[..., None]:
            def made(module: Any, *inputs: Any, **named: Any) -> None:
                set_(named)
                make(module, *inputs, **named)

            return made

        replace(torch.nn.parallel.DistributedDataParallel, "__init__", making)

    def write(self, framework: str) -> str:
        return {
            "accelerate": "Accelerator(kwargs_handlers=[DistributedDataParallelKwargs(gradient_as_bucket_view=True)])",
            "lightning": "Trainer(strategy=DDPStrategy(gradient_as_bucket_view=True))",
        }.get(framework, "DistributedDataParallel(..., gradient_as_bucket_view=True)")


class ReduceEach(Change):
    """FSDP keeps whole gradients between micro-batches where it is told not to reduce them."""

    name = "FSDP reduces each micro-batch"
    group = "fsdp"
    cost = "communication"

    def watch(self, program: Program, frameworks: Frameworks) -> None:
        self.facts["waits"] = False
        self._wrap(program, lambda: self.facts.update(waits=True), still_waits=True)

    def reason(self) -> Optional[str]:
        return None if self.facts["waits"] else "no FSDP keeps whole gradients"

    def apply(self, program: Program, frameworks: Frameworks) -> None:
        def count() -> None:
            self.made += 1

        self._wrap(program, count, still_waits=False)

    @staticmethod
    def _wrap(program: Program, where_it_waits: Callable[[], None], still_waits: bool) -> None:
        def second(set_: Callable[..., None]) -> Callable[..., None]:
            def set_requires_gradient_sync(fsdp: Any, requires: bool, *inputs: Any, **named: Any) -> None:
                if not requires:
                    where_it_waits()
                set_(fsdp, requires or not still_waits, *inputs, **named)

            return set_requires_gradient_sync

        def first(wait: Callable[..., Any]) -> Callable[..., Any]:
            def no_sync(fsdp: Any) -> Any:
                where_it_waits()
                return wait(fsdp) if still_waits else contextlib.nullcontext()

            return no_sync

        place = "torch.distributed.fsdp."
        when_imported(place + "_fully_shard._fully_shard", lambda module: replace(module.FSDPModule, "set_requires_gradient_sync", second))
        when_imported(place + "fully_sharded_data_parallel", lambda module: replace(module.FullyShardedDataParallel, "no_sync", first))

    def write(self, framework: str) -> str:
        return "no set_requires_gradient_sync(False), no no_sync(): FSDP reduces in each micro-batch"


def changes() -> List[Change]:
    return [BucketViews(), ReduceEach()]
