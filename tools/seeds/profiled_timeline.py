# SPDX-License-Identifier: Apache-2.0
"""Adds names to torch.profiler's memory timeline, which is exported without them."""

import json
import os
import statistics
import tempfile

# The order of the columns of its JSON: torch/profiler/_memory_profiler.py, _CATEGORY_TO_INDEX. The
# first is no category.
CATEGORIES = ("Parameter", "Optimizer_State", "Input", "Temporary", "Activation", "Gradient", "Autograd_Detail", "Unknown")


def categories_over_time(profiler, device):
    """Return mean, min, median and max of each category in bytes over the timeline's rows, and the
    categories at the peak."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "timeline.json")
        profiler.export_memory_timeline(file, device=device)
        with open(file) as text:
            times, rows = json.load(text)
    rows = [row[1:] for row in rows]
    highest = max(rows, key=sum)
    return {
        "rows": len(rows),
        "peak": dict(zip(CATEGORIES, highest)),
        "categories": {
            name: {"mean": statistics.fmean(column), "min": min(column), "median": statistics.median(column), "max": max(column)}
            for name, column in zip(CATEGORIES, zip(*rows))
        },
    }
