# SPDX-License-Identifier: Apache-2.0
"""The changes that `strata advise` tries, as a user writes them. The command's last word selects
one; "base" is no change."""

import contextlib
import sys

import torch
import torch.utils.checkpoint

HOW = sys.argv[-1]
PARTS = {"half": 2, "quarter": 4}.get(HOW, 1)
TOGETHER = {"checkpoint": 1, "checkpoint2": 2, "checkpoint4": 4}.get(HOW, 0)  # blocks in each checkpoint
_FORMAT = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(HOW)
scaler = torch.amp.GradScaler("cuda", enabled=HOW == "fp16")


def optimizer(kind, parameters, **options):
    if HOW == "adam8bit" and kind in (torch.optim.Adam, torch.optim.AdamW):
        import bitsandbytes.optim

        return getattr(bitsandbytes.optim, kind.__name__ + "8bit")(parameters, **options)
    if HOW == "adafactor" and kind in (torch.optim.Adam, torch.optim.AdamW):
        return torch.optim.Adafactor(parameters, **options)
    if HOW in ("fused", "foreach", "loop"):
        options.update(fused=HOW == "fused", foreach=HOW == "foreach")
    return kind(parameters, **options)


def format_of_numbers():
    return torch.autocast("cuda", _FORMAT) if _FORMAT else contextlib.nullcontext()


def saved_tensors():
    return torch.autograd.graph.save_on_cpu(pin_memory=True) if HOW == "offload" else contextlib.nullcontext()


def run_blocks(blocks, x, *others):
    """Run the blocks in a row, TOGETHER of them in each checkpoint."""
    blocks = list(blocks)
    if not TOGETHER:
        for block in blocks:
            x = block(x, *others)
        return x
    for start in range(0, len(blocks), TOGETHER):

        def run(x, *others, some=tuple(blocks[start : start + TOGETHER])):
            for block in some:
                x = block(x, *others)
            return x

        x = torch.utils.checkpoint.checkpoint(run, x, *others, use_reentrant=False)
    return x


def cross_entropy(rows, targets):
    if HOW != "pieces":
        return torch.nn.functional.cross_entropy(rows, targets)

    def sum_of(some, theirs):
        return torch.nn.functional.cross_entropy(some, theirs, reduction="sum")

    loss = 0
    for some, theirs in zip(rows.chunk(8), targets.chunk(8)):
        loss = loss + torch.utils.checkpoint.checkpoint(sum_of, some, theirs, use_reentrant=False)
    return loss / (targets != -100).sum()


def backward(loss):
    if HOW == "empty_before_backward":
        torch.cuda.empty_cache()
    scaler.scale(loss).backward()


def step(its_optimizer):
    if HOW == "empty_before_step":
        torch.cuda.empty_cache()
    scaler.step(its_optimizer)
    scaler.update()
