# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices in every layout: the results and their memory."""

import json

import torch
from measure import measure
from torch.sparse import SparseSemiStructuredTensor, to_sparse_semi_structured

ROWS, COLUMNS, ENTRIES = 512, 256, 2048
device = {"device": "cuda"}


def coo(dtype=torch.float):
    indices = torch.zeros(2, ENTRIES, dtype=torch.long, **device)
    matrix = torch.sparse_coo_tensor(indices, torch.zeros(ENTRIES, dtype=dtype, **device), (ROWS, COLUMNS), check_invariants=False)
    return matrix._coalesced_(True)


def csr(rows=ROWS, columns=COLUMNS, dtype=torch.float):
    offsets, indices = torch.zeros(rows + 1, dtype=torch.int, **device), torch.zeros(ENTRIES, dtype=torch.int, **device)
    return torch.sparse_csr_tensor(
        offsets, indices, torch.zeros(ENTRIES, dtype=dtype, **device), (rows, columns), check_invariants=False
    )


def csc():
    offsets, indices = torch.zeros(COLUMNS + 1, dtype=torch.int, **device), torch.zeros(ENTRIES, dtype=torch.int, **device)
    return torch.sparse_csc_tensor(offsets, indices, torch.zeros(ENTRIES, **device), (ROWS, COLUMNS), check_invariants=False)


def bsr(rows=ROWS, columns=COLUMNS, block=16):
    offsets = torch.zeros(rows // block + 1, dtype=torch.int, **device)
    indices = torch.zeros(8, dtype=torch.int, **device)
    return torch.sparse_bsr_tensor(
        offsets, indices, torch.zeros(8, block, block, **device), (rows, columns), check_invariants=False
    )


dense, vector = torch.zeros(COLUMNS, 64, **device), torch.zeros(COLUMNS, **device)
torch.mm(dense.T, dense)  # cuBLAS's workspace is allocated here


def backward():
    values = torch.zeros(ENTRIES, **device).requires_grad_()
    indices = torch.zeros(2, ENTRIES, dtype=torch.long, **device)
    matrix = torch.sparse_coo_tensor(indices, values, (ROWS, COLUMNS), check_invariants=False)
    b = dense.clone().requires_grad_()
    torch.sparse.mm(matrix, b).sum().backward()
    return b.grad


def semi_structured(dtype=torch.half):
    SparseSemiStructuredTensor._FORCE_CUTLASS = False
    weight = to_sparse_semi_structured(torch.zeros(128, 256, dtype=dtype, **device))
    return weight


def parts(matrix):
    """Return the tensors that a sparse result consists of."""
    if matrix.layout == torch.sparse_coo:
        return matrix._indices(), matrix._values()
    return matrix.crow_indices(), matrix.col_indices(), matrix.values()


matrices = {"coo": coo(), "csr": csr(), "csc": csc(), "bsr": bsr()}
square, block_square, half = csr(256, 256), bsr(256, 256), semi_structured()
activations = torch.zeros(64, 256, dtype=torch.half, **device)

OPERATIONS = {
    "coo by dense": lambda: matrices["coo"] @ dense,
    "csr by dense": lambda: matrices["csr"] @ dense,
    "csc by dense": lambda: matrices["csc"] @ dense,
    "bsr by dense": lambda: matrices["bsr"] @ dense,
    "coo by vector": lambda: matrices["coo"] @ vector,
    "csr by vector": lambda: matrices["csr"] @ vector,
    "csr by dense in half": lambda: csr(dtype=torch.half) @ dense.half(),
    "sampled": lambda: parts(torch.sparse.sampled_addmm(matrices["csr"], torch.zeros(ROWS, 64, **device), dense.T)),
    "csr by csr": lambda: parts(square @ square),
    "csr plus csr": lambda: parts(square + square),
    "solve by csr": lambda: torch.triangular_solve(dense, square, upper=False).solution,
    "solve by csr for one": lambda: torch.triangular_solve(dense[:, :1], square, upper=False).solution,
    "solve by bsr": lambda: torch.triangular_solve(dense, block_square, upper=False).solution,
    "csr to dense": lambda: matrices["csr"].to_dense(),
    "coo to csr": lambda: parts(matrices["coo"].to_sparse_csr()),
    "dense to csr": lambda: parts(dense.to_sparse_csr()),
    "coo coalesced": lambda: parts(
        torch.sparse_coo_tensor(
            torch.zeros(2, ENTRIES, dtype=torch.long, **device), torch.zeros(ENTRIES, **device), (ROWS, COLUMNS)
        ).coalesce()
    ),
    "backward": backward,
    "half structured": lambda: semi_structured().packed,
    "half structured, bytes": lambda: semi_structured(torch.int8).packed,
    "by half structured": lambda: torch.nn.functional.linear(activations, half),
    "search": lambda: torch.zeros(torch._cslt_sparse_mm_search(half.packed, activations.T) + 1),
}

facts = {}
for name, operation in OPERATIONS.items():
    try:
        facts[name] = measure(operation)
    except RuntimeError as error:
        facts[name] = str(error).splitlines()[0]
print(json.dumps(facts))
