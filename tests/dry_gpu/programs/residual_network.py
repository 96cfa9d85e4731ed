# SPDX-License-Identifier: Apache-2.0
"""residual_network.py [half] [benchmark] [deterministic]: three training steps of a small ResNet of basic blocks."""

import hashlib
import json
import sys

import torch
import torch.nn.functional as F
from dry_counts import counts
from torch import nn

torch.backends.cudnn.benchmark = "benchmark" in sys.argv
torch.backends.cudnn.deterministic = "deterministic" in sys.argv
HALF = "half" in sys.argv


class Block(nn.Module):
    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.convolution1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
        self.convolution2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.shortcut = None
        if stride != 1 or channels_in != channels:
            projection = nn.Conv2d(channels_in, channels, 1, stride, bias=False)
            self.shortcut = nn.Sequential(projection, nn.BatchNorm2d(channels))

    def forward(self, x):
        y = F.relu(self.norm1(self.convolution1(x)), inplace=True)
        y = self.norm2(self.convolution2(y))
        y += x if self.shortcut is None else self.shortcut(x)
        return F.relu(y, inplace=True)


def network():
    stages = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
    blocks = [Block(*shape) for first in stages for shape in (first, (first[1], first[1], 1))]
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


torch.cuda.memory._record_memory_history(stacks="all", context=None)
with torch.device("cuda"):
    model, images = network(), torch.empty(16, 3, 224, 224)
    labels = torch.zeros(16, dtype=torch.long)
if HALF:
    model, images = model.to(memory_format=torch.channels_last), images.to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
peaks, calls = [], []
for _ in range(3):
    torch.cuda.reset_peak_memory_stats()
    before = counts()
    with torch.autocast("cuda", dtype=torch.half, enabled=HALF):
        loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    peaks.append([torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()])
    calls.append(counts()["unknown_workspaces"] - before["unknown_workspaces"])
trace = torch.cuda.memory._snapshot()["device_traces"][0]
events = json.dumps([[event["action"], event["addr"], event["size"]] for event in trace]).encode()
parameters = sum(parameter.numel() for parameter in model.parameters())
print(
    json.dumps(
        {
            "parameters": parameters,
            "peaks": peaks,
            "unknown_workspaces": calls,
            "events": len(trace),
            "hash": hashlib.sha256(events).hexdigest(),
        }
    )
)
