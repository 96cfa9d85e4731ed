# SPDX-License-Identifier: Apache-2.0
"""profiled_program.py RECORDER PLUGIN FOLDER ORDER: records two steps of this process, with
torch.profiler before the run (first), around its second step (second) or not at all (alone)."""

import contextlib
import ctypes
import json
import sys

import torch


def step(weight, batch):
    loss = (batch @ weight).relu().sum()
    loss.backward()
    weight.grad = None
    torch.cuda.synchronize()


def profiled():
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])


def main():
    recorder, plugin, folder, order = sys.argv[1:]
    library = ctypes.CDLL(recorder)
    weight = torch.ones(256, 256, device="cuda", requires_grad=True)
    batch = torch.ones(64, 256, device="cuda")
    seen = []
    if order == "first":
        with profiled() as profiler:
            step(weight, batch)
        seen.append(profiler)
    assert library.open_run(folder.encode(), plugin.encode()) == 0
    for index in range(2):
        assert library.begin_step(ctypes.c_uint64(index)) == 0
        with profiled() if order == "second" and index == 1 else contextlib.nullcontext() as profiler:
            step(weight, batch)
        seen.append(profiler)
        assert library.end_step() == 0
    assert library.close_run() == 0
    kernels = [
        len([event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA])
        for profiler in seen
        if profiler is not None
    ]
    print(json.dumps(kernels))


if __name__ == "__main__":
    main()
