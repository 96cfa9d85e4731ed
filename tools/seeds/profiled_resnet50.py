# SPDX-License-Identifier: Apache-2.0
"""torch.profiler's result for reference 000's program: the code of PyTorch's "Understanding GPU
Memory 1", a ResNet-50 on one image, with a selectable optimizer. Prints JSON: the maximum of each
category and, for the sum, the place of its maximum.

    python tools/seeds/profiled_resnet50.py --device cpu --onednn off --steps 2
    strata exec --dry a100-40gb --plugins none -- python tools/seeds/profiled_resnet50.py
        --optimizer adam
"""

import argparse
import json

import torch
from profiled_timeline import categories_over_time
from torchvision import models

OPTIMIZERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=1e-2),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=1e-2, momentum=0.9),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
}


def profiled(device, optimizer_name, accumulation, steps):
    model = models.resnet50().to(device)
    inputs = torch.randn(1, 3, 224, 224, device=device)
    labels = torch.rand_like(model(inputs))
    loss_function = torch.nn.CrossEntropyLoss()
    optimizer = OPTIMIZERS[optimizer_name](model.parameters())
    with torch.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as profiler:
        for _ in range(steps):
            for _ in range(accumulation):
                prediction = model(inputs)
                loss_function(prediction, labels).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            profiler.step()
    return categories_over_time(profiler, device)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", default="cuda:0")
    options.add_argument("--onednn", choices=["on", "off"], default="on")
    options.add_argument("--optimizer", choices=OPTIMIZERS, default="sgd")
    options.add_argument("--accumulation", type=int, default=1)
    options.add_argument("--steps", type=int, default=6)
    chosen = options.parse_args()
    torch.backends.mkldnn.enabled = chosen.onednn == "on"
    print(json.dumps(profiled(chosen.device, chosen.optimizer, chosen.accumulation, chosen.steps)))


if __name__ == "__main__":
    main()
