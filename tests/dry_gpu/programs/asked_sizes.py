# SPDX-License-Identifier: Apache-2.0
"""The sizes that test programs request from PyTorch's caching allocator."""

import torch


class Allocations:
    """Lists the sizes requested from PyTorch's allocator between two calls."""

    def __init__(self):
        torch.cuda.init()
        torch.cuda.memory._record_memory_history(context=None, max_entries=2_000_000)
        self._seen = 0

    def new(self):
        torch.cuda.synchronize()
        history = torch.cuda.memory._snapshot()["device_traces"][0]
        sizes = [event["size"] for event in history[self._seen :] if event["action"] == "alloc"]
        self._seen = len(history)
        return sizes
