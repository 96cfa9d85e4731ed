# SPDX-License-Identifier: Apache-2.0
"""torch.profiler over two training steps on the modelled clock: its export, and the account's
figures for the same time."""

import ctypes
import json
import os
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile

DEVICE_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")


class Modelled(ctypes.Structure):
    _fields_ = [("works", ctypes.c_uint64), ("ns", ctypes.c_uint64)]


def account():
    models = (Modelled * 8)()
    assert ctypes.CDLL(None).strata_dry_gpu_count_modelled(models) == 1
    return [[model.works, model.ns] for model in models]


def step():
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(x).float().square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


with torch.device("cuda"):
    model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 512))
    x = torch.empty(256, 512)
optimizer = torch.optim.AdamW(model.parameters())
side = torch.cuda.Stream()
step()
torch.cuda.synchronize()

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    before = account()
    for _ in range(2):
        step()
    with torch.cuda.stream(side):
        y = torch.zeros(1 << 20, device="cuda")
        y += 1
    torch.cuda.synchronize()
    after = account()

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trace.json")
    profiler.export_chrome_trace(path)
    with open(path, encoding="utf-8") as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]

arguments = ("correlation", "External id", "stream", "device", "bytes")
wanted = [
    {
        "category": event["cat"],
        "name": event["name"],
        "begin": event["ts"],
        "us": event["dur"],
        **{key: event["args"][key] for key in arguments if key in event["args"]},
    }
    for event in events
    if event.get("cat") in (*DEVICE_CATEGORIES, "cuda_runtime", "cuda_driver", "cpu_op")
]
print(json.dumps({"events": wanted, "account": [[b[0] - a[0], b[1] - a[1]] for a, b in zip(before, after)]}))
