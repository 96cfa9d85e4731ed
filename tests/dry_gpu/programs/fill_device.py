# SPDX-License-Identifier: Apache-2.0
"""Fills an unused device: with blocks of 1 GiB until there is no room for another, then with blocks
of 20 MiB."""

import torch

kept = []
for mebibytes in (1024, 20):
    try:
        while True:
            kept.append(torch.empty(mebibytes << 20, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError:
        pass
del kept
