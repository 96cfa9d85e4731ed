# SPDX-License-Identifier: Apache-2.0
"""torch.linalg on a card that computes nothing: its results and its memory.

linalg.py [svd]: everything, or only one decomposition.
"""

import json
import sys

import torch
from dry_counts import counts
from measure import measure

linalg = torch.linalg


def matrix(*shape, dtype=torch.float):
    return torch.empty(*shape, dtype=dtype, device="cuda")


def backward(operation):
    def run():
        a = matrix(24, 24).requires_grad_()
        result = operation(a)
        results = [result] if isinstance(result, torch.Tensor) else [part for part in result if part.is_floating_point()]
        sum(part.sum() for part in results).backward()
        return a.grad

    return run


tall, square, batch, small = matrix(1024, 256), matrix(512, 512), matrix(4, 64, 64), matrix(8, 16, 16)
wide = matrix(256, 1024)
torch.mm(square, square)  # cuBLAS's workspace is allocated here

OPERATIONS = {
    "svd": lambda: linalg.svd(tall, full_matrices=False),
    "svd of many": lambda: linalg.svd(batch),
    "svd of many small ones": lambda: linalg.svd(small),
    "svd by gesvd": lambda: linalg.svd(tall, full_matrices=False, driver="gesvd"),
    "svd by gesvda": lambda: linalg.svd(tall, full_matrices=False, driver="gesvda"),
    "svd in double": lambda: linalg.svd(matrix(32, 16, dtype=torch.double)),
    "svd of complex numbers": lambda: linalg.svd(matrix(32, 16, dtype=torch.cfloat)),
    "singular values": lambda: linalg.svdvals(tall),
    "svd_lowrank": lambda: torch.svd_lowrank(tall, q=8),
    "qr": lambda: linalg.qr(tall),
    "qr of many": lambda: linalg.qr(batch),
    "eigh": lambda: linalg.eigh(square),
    "eigh of many": lambda: linalg.eigh(batch),
    "eigh of many small ones": lambda: linalg.eigh(small),
    "eigh of complex numbers": lambda: linalg.eigh(matrix(48, 48, dtype=torch.cdouble)),
    "eigvalsh": lambda: linalg.eigvalsh(square),
    "inv": lambda: linalg.inv(square),
    "inv of many": lambda: linalg.inv(batch),
    "cholesky": lambda: linalg.cholesky(square),
    "cholesky of many": lambda: linalg.cholesky(batch),
    "cholesky_solve": lambda: torch.cholesky_solve(square, square),
    "cholesky_inverse": lambda: torch.cholesky_inverse(square),
    "solve": lambda: linalg.solve(square, square),
    "solve of many": lambda: linalg.solve(batch, batch),
    "lstsq": lambda: linalg.lstsq(tall, matrix(1024, 4)).solution,
    "lstsq of many": lambda: linalg.lstsq(matrix(4, 64, 16), matrix(4, 64, 2)).solution,
    "lu_factor": lambda: linalg.lu_factor(square),
    "lu_factor of many": lambda: linalg.lu_factor(batch),
    "det": lambda: linalg.det(square),
    "slogdet of many": lambda: linalg.slogdet(batch),
    "pinv": lambda: linalg.pinv(tall),
    "matrix_exp": lambda: linalg.matrix_exp(matrix(16, 16)),
    "ldl_factor": lambda: linalg.ldl_factor(square),
    "ldl_solve": lambda: linalg.ldl_solve(square, torch.ones(512, dtype=torch.int, device="cuda"), square),
    "triangular": lambda: linalg.solve_triangular(square, square, upper=True),
    "ormqr": lambda: torch.ormqr(tall, matrix(256), matrix(1024, 8)),
    "backward of svd": backward(lambda a: linalg.svd(a)[1]),
    "backward of qr": backward(linalg.qr),
    "backward of eigh": backward(lambda a: linalg.eigh(a)[0]),
    "backward of cholesky": backward(linalg.cholesky),
    "backward of inv": backward(linalg.inv),
}

chosen = sys.argv[1:] or list(OPERATIONS)
facts = {name: measure(OPERATIONS[name]) for name in chosen}
if not sys.argv[1:]:
    try:
        linalg.eig(matrix(8, 8))
        facts["eig"] = "works"
    except RuntimeError as error:
        facts["eig"] = str(error)
facts["counts"] = counts()
print(json.dumps(facts))
