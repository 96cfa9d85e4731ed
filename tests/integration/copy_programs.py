# SPDX-License-Identifier: Apache-2.0
"""Programs that keep copies of a model's parameters or gradients on the GPU, or make them for
another GPU."""

MODEL = """
import copy, io, torch
from torch import nn

def network():
    return nn.Sequential(*(nn.Linear(512, 512) for _ in range(4))).cuda()

def train(model, optimizer, behind_backward=lambda step: None, behind_step=lambda step: None, steps=4):
    for step in range(steps):
        model(torch.randn(64, 512, device="cuda")).square().mean().backward()
        behind_backward(step)
        optimizer.step()
        behind_step(step)
        optimizer.zero_grad()
"""

WEIGHTS = 4 * (512 * 512 + 512) * 4  # bytes of the model's parameters

CHECKPOINT = """
def main():
    saved = io.BytesIO()
    torch.save({"model": network().state_dict(), "epoch": 3}, saved)
    saved.seek(0)
    model = network()
    checkpoint = torch.load(saved, map_location="cuda")
    model.load_state_dict(checkpoint["model"])
    train(model, torch.optim.SGD(model.parameters(), lr=0.1))
    return checkpoint
kept = main()
"""

REFERENCE = """
def main():
    model = network()
    start = [parameter.detach().clone() for parameter in model.parameters()]
    def decay(step):
        for parameter, first in zip(model.parameters(), start):
            parameter.grad.add_(parameter.detach() - first, alpha=0.01)
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), behind_backward=decay)
main()
"""

BEST = """
best = None
model = network()
def keep(step):
    global best
    if step == 1:
        best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
train(model, torch.optim.SGD(model.parameters(), lr=0.1), behind_step=keep)
"""

AVERAGED = {
    "mul_": "mean.mul_(0.9).add_(parameter, alpha=0.1)",
    "lerp_": "mean.lerp_(parameter, 0.1)",
    "copy_ of a sum": "mean.copy_(0.9 * mean + 0.1 * parameter)",
    "data": "mean.data.mul_(0.9)",
}

AVERAGE = """
class Average:
    def __init__(self, model):
        self.shadow = {name: tensor.detach().clone() for name, tensor in model.named_parameters()}
    @torch.no_grad()
    def update(self, model):
        for name, parameter in model.named_parameters():
            mean = self.shadow[name]
            UPDATE
model = network()
average = Average(model)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), behind_step=lambda step: average.update(model))
"""

LATE_BEST = """
model = network()
def keep(step):
    global best
    if step == 17:
        with torch.no_grad():
            model(torch.randn(64, 512, device="cuda"))
        best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
train(model, torch.optim.SGD(model.parameters(), lr=0.1), behind_step=keep, steps=20)
"""

DEEP_COPY = """
model = network()
def keep(step):
    global best
    if step == 2:
        best = copy.deepcopy(model.state_dict())
train(model, torch.optim.SGD(model.parameters(), lr=0.1), behind_step=keep)
"""

GRADIENTS = """
kept = []
model = network()
def keep(step):
    if step == 1:
        kept.extend(parameter.grad.clone() for parameter in model.parameters())
train(model, torch.optim.SGD(model.parameters(), lr=0.1), behind_backward=keep)
"""

REPLICAS = """
model = nn.DataParallel(network())
train(model, torch.optim.SGD(model.parameters(), lr=0.1))
"""
