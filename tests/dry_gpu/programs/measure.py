# SPDX-License-Identifier: Apache-2.0
"""The memory that an operation leaves allocated, and its peak."""

import torch


def shapes_of(result):
    if isinstance(result, torch.Tensor):
        return [list(result.shape)]
    return [shape for part in result for shape in shapes_of(part)]


def measure(operation):
    """Return the shapes of its results, their bytes, and its peak beyond the memory before, with
    the results."""
    torch.cuda.empty_cache()  # a larger cached block would count as a whole
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result = operation()
    kept = torch.cuda.memory_allocated() - before
    return {"shapes": shapes_of(result), "kept": kept, "peak": torch.cuda.max_memory_allocated() - before}
