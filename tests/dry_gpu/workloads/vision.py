# SPDX-License-Identifier: Apache-2.0
"""Three training steps of a torchvision model on images of 224 x 224.

    vision.py MODEL BATCH sgd|adam [channels_last] [half] [benchmark]
"""

import sys

import torch
import torch.nn.functional as F
import torchvision
from recording import STEPS, Recording

name, batch, optimizer_name, *options = sys.argv[1:]
half = "half" in options
layout = torch.channels_last if "channels_last" in options else torch.contiguous_format
torch.backends.cudnn.benchmark = "benchmark" in options

recording = Recording()
model = getattr(torchvision.models, name)(weights=None).cuda().to(memory_format=layout)
if optimizer_name == "adam":
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
else:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(enabled=half)
images = torch.randn(int(batch), 3, 224, 224).cuda().to(memory_format=layout)
labels = torch.zeros(int(batch), dtype=torch.long).cuda()
for _ in range(STEPS):
    with recording.step():
        with torch.autocast("cuda", enabled=half, dtype=torch.float16):
            loss = F.cross_entropy(model(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
recording.tell(model)
