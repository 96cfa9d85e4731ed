# SPDX-License-Identifier: Apache-2.0
"""Trains a small model for one step, under a recorder of ours and torch's own counters:
profiled_program.py RECORDER FOLDER.

Prints torch's counts: the calls and the time of each operator, and the FLOP of its matrix products.
"""

import ctypes
import json
import pathlib
import sys

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1, stride=2, groups=1)
        self.first = torch.nn.Linear(8 * 8 * 8, 64)
        self.last = torch.nn.Linear(64, 10)

    def forward(self, images):
        hidden = self.first(self.convolution(images).relu().flatten(1)).relu()
        heads = hidden.reshape(1, 4, -1, 16)
        attended = torch.nn.functional.scaled_dot_product_attention(heads, heads, heads)
        return self.last(attended.reshape(-1, 64))


def step(model, images):
    loss = torch.nn.functional.cross_entropy(model(images), torch.zeros(len(images), dtype=torch.long))
    loss.backward()


def main(recorder, folder):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Network()
    images = torch.randn(64, 3, 16, 16)
    step(model, images)

    with FlopCounterMode(display=False) as flop:
        step(model, images)

    pathlib.Path(folder).mkdir()
    strata = ctypes.CDLL(recorder)
    if strata.open_timed_run(str(folder).encode()) != 0:
        sys.exit(1)
    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        strata.begin_step(ctypes.c_uint64(0))
        step(model, images)
        strata.end_step()
    strata.close_run()
    operators = {
        event.key: {"count": event.count, "total_ns": event.cpu_time_total * 1e3, "self_ns": event.self_cpu_time_total * 1e3}
        for event in profiler.key_averages()
    }
    # It counts attention kernels on a GPU and not those on the CPU, so its own formulas for them
    # are used.
    heads = (1, 4, 64, 16)
    attention = sdpa_flop_count(heads, heads, heads) + sdpa_backward_flop_count(heads, heads, heads, heads)
    print(json.dumps({"operators": operators, "flop": flop.get_total_flops(), "attention_flop": attention}))


if __name__ == "__main__":
    main(*sys.argv[1:])
