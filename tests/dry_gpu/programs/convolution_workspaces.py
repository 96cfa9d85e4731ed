# SPDX-License-Identifier: Apache-2.0
"""The allocations that convolutions request from the caching allocator, as they were measured on a
card.

convolution_workspaces.py FILE: FILE is JSON, a list of measured rows
(tests/data/card-h200/workspaces.jsonl). Prints for each row the sizes of all allocations of its
second call, in the order requested: {"rows": [[...], ...], "counts": ...}.
"""

import json
import pathlib
import sys

import torch
from asked_sizes import Allocations
from dry_counts import counts


def operation(row):
    dims, dtype = row["dims"], getattr(torch, row["dtype"])
    layout = torch.contiguous_format if row["fmt"] == "nchw" else torch.channels_last
    x = torch.empty(row["n"], row["c"], *[row["h"]] * dims, device="cuda", dtype=dtype, memory_format=layout)
    w = torch.empty(row["k"], row["c"] // row["groups"], *[row["r"]] * dims, device="cuda", dtype=dtype, memory_format=layout)
    stride, padding = [row["stride"]] * dims, [row["r"] // 2] * dims
    forward = lambda: torch.ops.aten.convolution(x, w, None, stride, padding, [1] * dims, False, [0] * dims, row["groups"])  # noqa: E731
    if row["op"] == "fwd":
        return forward
    grad = torch.empty_like(forward())
    return lambda: torch.ops.aten.convolution_backward(
        grad, x, w, None, stride, padding, [1] * dims, False, [0] * dims, row["groups"], [False, True, False]
    )


def perform(row, allocations):
    torch.backends.cudnn.allow_tf32 = row["tf32"]
    torch.backends.cudnn.benchmark = row["benchmark"]
    call = operation(row)
    result = call()
    del result
    allocations.new()
    result = call()
    return allocations.new()


rows = json.loads(pathlib.Path(sys.argv[1]).read_text())
recorder = Allocations()
print(json.dumps({"rows": [perform(row, recorder) for row in rows], "counts": counts()}))
