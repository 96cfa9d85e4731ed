# SPDX-License-Identifier: Apache-2.0
"""vision.py NAME: three training steps of a torchvision model."""

import torch
import torchvision
from training import DEVICE, classification_loss, images, main, train


def resnet(
    name="resnet50", optimizer=torch.optim.SGD, autocast=None, layout=torch.contiguous_format, benchmark=False, size=224
):
    torch.backends.cudnn.benchmark = benchmark
    model = getattr(torchvision.models, name)().to(DEVICE, memory_format=layout)
    inputs, classes = images(32, size)
    inputs = inputs.contiguous(memory_format=layout)
    chosen = optimizer(model.parameters())
    train(model, (inputs, classes), classification_loss, chosen, autocast)


def vision_transformer():
    model = torchvision.models.vit_l_16().to(DEVICE)
    inputs, classes = images(1)
    train(model, (inputs, classes), classification_loss, torch.optim.Adam(model.parameters(), foreach=True))


if __name__ == "__main__":
    main(
        {
            "resnet50_sgd": resnet,
            "resnet50_adam": lambda: resnet(optimizer=torch.optim.Adam),
            "resnet50_cl_bf16": lambda: resnet(autocast=torch.bfloat16, layout=torch.channels_last),
            "resnet50_bench": lambda: resnet(benchmark=True),
            "resnet18_s64": lambda: resnet("resnet18", size=64),
            "vit": vision_transformer,
        }
    )
