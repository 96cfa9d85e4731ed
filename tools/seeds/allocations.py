# SPDX-License-Identifier: Apache-2.0
"""A run's allocations from `strata export --format csv --what blocks`, and the largest of them."""

import collections
import csv
import io
import re


def blocks(runs, cell):
    told = runs.strata("export", cell.folder, "--format", "csv", "--what", "blocks", "--out", "-")
    return list(csv.DictReader(io.StringIO(told)))


def folded(module):
    """Return layers.7.ffn.w2 as layers.N.ffn.w2."""
    return re.sub(r"\.\d+", ".N", module)


def alike(chosen):
    """Group allocations with the same size, category, operator and module, the largest first:
    (allocation, number)."""
    keys = ((int(block["bytes"]), block["category"], block["op"], folded(block["module"])) for block in chosen)
    return sorted(collections.Counter(keys).items(), key=lambda item: (-item[0][0], -item[1], item[0]))


def detail(all_blocks, share):
    """Return the allocations that memory_viz's Detail keeps: the largest ones, this share of their
    number."""
    by_size = sorted(all_blocks, key=lambda block: -int(block["bytes"]))
    least = int(by_size[max(1, int(len(by_size) * share)) - 1]["bytes"])
    return [block for block in by_size if int(block["bytes"]) >= least]
