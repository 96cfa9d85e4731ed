# SPDX-License-Identifier: Apache-2.0
"""A GaLore step: the gradient's first singular vectors project it to a few rows, and Adam keeps
moments of those."""

import json

import torch
from measure import measure

ROWS, COLUMNS, RANK = 1024, 2048, 128

weight = torch.nn.Parameter(torch.empty(ROWS, COLUMNS, device="cuda"))
batch = torch.empty(64, COLUMNS, device="cuda")
torch.mm(batch, batch.T)  # cuBLAS's workspace is allocated here
projection, moments = [], []


def gradient():
    torch.nn.functional.linear(batch, weight).sum().backward()
    return weight.grad


def project():
    left, _, _ = torch.linalg.svd(weight.grad, full_matrices=False)
    projection.append(left[:, :RANK])
    return projection[0]


def update():
    low = projection[0].T @ weight.grad
    moments.extend(torch.zeros_like(low) for _ in range(2))
    first, second = moments
    first.mul_(0.9).add_(low, alpha=0.1)
    second.mul_(0.999).addcmul_(low, low, value=0.001)
    step = first / (second.sqrt() + 1e-8)
    with torch.no_grad():
        weight.sub_(projection[0] @ step)
    return moments


print(json.dumps({operation.__name__: measure(operation) for operation in (gradient, project, update)}))
