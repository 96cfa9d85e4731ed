# SPDX-License-Identifier: Apache-2.0
"""Several ranks: the buckets of DistributedDataParallel, and when FSDP reduces."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, List

import torch

from ..imports import when_imported
from ..program import Program, replace
from .change import Change, ChangeOfCalls


class BucketViews(ChangeOfCalls):
    name = "gradients as bucket views"
    group = "ddp"
    absent = "no DistributedDataParallel copies gradients"

    def wrap(self, program: Program, occurs: Callable[[], None], changes: bool) -> None:
        def making(make: Callable[..., None]) -> Callable[..., None]:
            def made(module: Any, *inputs: Any, **named: Any) -> None:
                if not named.get("gradient_as_bucket_view", False):
                    occurs()
                    named["gradient_as_bucket_view"] = changes
                make(module, *inputs, **named)

            return made

        replace(torch.nn.parallel.DistributedDataParallel, "__init__", making)

    def write(self, framework: str) -> str:
        return {
            "accelerate": "Accelerator(kwargs_handlers=[DistributedDataParallelKwargs(gradient_as_bucket_view=True)])",
            "lightning": "Trainer(strategy=DDPStrategy(gradient_as_bucket_view=True))",
        }.get(framework, "DistributedDataParallel(..., gradient_as_bucket_view=True)")


class ReduceEach(ChangeOfCalls):
    """FSDP keeps whole gradients between micro-batches if it is told not to reduce them."""

    name = "FSDP reduces each micro-batch"
    group = "fsdp"
    cost = "communication"
    absent = "no FSDP keeps whole gradients"

    def wrap(self, program: Program, occurs: Callable[[], None], changes: bool) -> None:
        def second(set_: Callable[..., None]) -> Callable[..., None]:
            def set_requires_gradient_sync(fsdp: Any, requires: bool, *inputs: Any, **named: Any) -> None:
                if not requires:
                    occurs()
                set_(fsdp, requires or changes, *inputs, **named)

            return set_requires_gradient_sync

        def first(wait: Callable[..., Any]) -> Callable[..., Any]:
            def no_sync(fsdp: Any) -> Any:
                occurs()
                return contextlib.nullcontext() if changes else wait(fsdp)

            return no_sync

        place = "torch.distributed.fsdp."
        when_imported(place + "_fully_shard._fully_shard", lambda module: replace(module.FSDPModule, "set_requires_gradient_sync", second))
        when_imported(place + "fully_sharded_data_parallel", lambda module: replace(module.FullyShardedDataParallel, "no_sync", first))

    def write(self, framework: str) -> str:
        return "no set_requires_gradient_sync(False), no no_sync(): FSDP reduces in each micro-batch"


def changes() -> List[Change]:
    return [BucketViews(), ReduceEach()]
