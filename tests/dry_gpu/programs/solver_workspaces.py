# SPDX-License-Identifier: Apache-2.0
"""The allocations that decompositions, transforms and recurrences request from the caching
allocator, as they were measured on a card.

solver_workspaces.py FILE: FILE is JSON, a list of measured rows
(tests/data/card-h200/workspaces.jsonl). Prints for each row the sizes of all allocations in the
order requested: {"rows": [{"allocs": [...]}, {"fwd": [...], "bwd": [...]}, ...]}.
"""

import json
import pathlib
import sys

import torch
from asked_sizes import Allocations
from dry_counts import counts

SEQUENCE, BATCH, SIZE, LAYERS = 50, 32, 256, 2  # sizes of the measured recurrences


def decomposition(operation, a):
    linalg = torch.linalg
    return {
        "svd": lambda: linalg.svd(a, full_matrices=False),
        "svdvals": lambda: linalg.svdvals(a),
        "qr": lambda: linalg.qr(a),
        "eigh": lambda: linalg.eigh(a),
        "eig": lambda: linalg.eig(a),
        "inv": lambda: linalg.inv(a),
        "cholesky": lambda: linalg.cholesky(a),
        "solve": lambda: linalg.solve(a, a),
        "lu": lambda: linalg.lu_factor(a),
        "det": lambda: linalg.det(a),
    }[operation]


def transform(operation, a):
    return lambda: getattr(torch.fft, operation)(a)


def tensor(row):
    return torch.empty(row["shape"], dtype=getattr(torch, row.get("dtype", "float32")), device="cuda")


def recurrence(row, allocations):
    dtype = getattr(torch, row["dtype"])
    network = getattr(torch.nn, row["cls"])(SIZE, SIZE, LAYERS, **row["kw"]).to("cuda", dtype)
    x = torch.empty(SEQUENCE, BATCH, SIZE, device="cuda", dtype=dtype, requires_grad=True)
    allocations.new()
    y = network(x)[0]
    forward = allocations.new()
    loss = y.sum()
    allocations.new()
    loss.backward()
    return {"fwd": forward, "bwd": allocations.new()}


def perform(row, allocations):
    if row["kind"] == "rnn":
        return recurrence(row, allocations)
    a = tensor(row)
    name = row["op"].removeprefix("first ")
    operation = transform(name, a) if name.endswith(("fft", "fft2")) else decomposition(name, a)
    torch.backends.cuda.cufft_plan_cache[0].clear()
    allocations.new()
    result = operation()
    sizes = allocations.new()
    del result
    return {"allocs": sizes}


rows = json.loads(pathlib.Path(sys.argv[1]).read_text())
recorder = Allocations()
torch.mm(torch.empty(8, 8, device="cuda"), torch.empty(8, 8, device="cuda"))  # cuBLAS's workspace is allocated here
print(json.dumps({"rows": [perform(row, recorder) for row in rows], "counts": counts()}))
