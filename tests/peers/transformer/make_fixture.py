# SPDX-License-Identifier: Apache-2.0
"""Writes PyTorch's results for one small transformer, which tests/trainer/peer_test.cpp compares
with.

    python tests/peers/transformer/make_fixture.py tests/data/transformer.pt

The file is a pickled dictionary: `sizes`, `seed` (from which the `weights` are drawn), `inputs` and
`targets` [steps, batch, context], then for the first of these batches `logits`, `loss`,
`gradients`, and for each optimizer its `options`, the `losses` of all steps and the `weights` after
them.
"""

import argparse
import dataclasses
from pathlib import Path

import torch
import torch.nn.functional as F

from cs336_transformer import Sizes, Transformer

STEPS = 5
BATCH = 3
OPTIMIZERS = {
    "adamw": (torch.optim.AdamW, dict(lr=1e-2, weight_decay=0.1, beta1=0.9, beta2=0.95, epsilon=1e-8)),
    "sgd": (torch.optim.SGD, dict(lr=0.1)),
    "sgd_momentum": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, weight_decay=0.01)),
}


def keyword_arguments(options: dict) -> dict:
    arguments = dict(options)
    if "beta1" in arguments:
        arguments["betas"] = (arguments.pop("beta1"), arguments.pop("beta2"))
        arguments["eps"] = arguments.pop("epsilon")
    return arguments


def loss_of(model: Transformer, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def copies(named_tensors) -> dict:
    return {name: tensor.detach().clone() for name, tensor in named_tensors}


def train(sizes: Sizes, weights: dict, optimizer_name: str, inputs, targets) -> dict:
    model = Transformer(sizes)
    model.load_state_dict(weights)
    optimizer_class, options = OPTIMIZERS[optimizer_name]
    optimizer = optimizer_class(model.parameters(), **keyword_arguments(options))
    losses = []
    for step_inputs, step_targets in zip(inputs, targets):
        optimizer.zero_grad()
        loss = loss_of(model, step_inputs, step_targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"options": options, "losses": losses, "weights": copies(model.named_parameters())}


def fixture(sizes: Sizes, seed: int) -> dict:
    torch.manual_seed(seed)
    model = Transformer(sizes)
    weights = copies(model.named_parameters())
    tokens = torch.randint(sizes.vocab, (STEPS, BATCH, sizes.context + 1))
    inputs, targets = tokens[..., :-1].contiguous(), tokens[..., 1:].contiguous()
    logits = model(inputs[0])
    loss = loss_of(model, inputs[0], targets[0])
    loss.backward()
    return {
        "sizes": dataclasses.asdict(sizes),
        "seed": seed,
        "weights": weights,
        "inputs": inputs,
        "targets": targets,
        "logits": logits.detach(),
        "loss": loss.item(),
        "gradients": copies((name, parameter.grad) for name, parameter in model.named_parameters()),
        "optimizers": {name: train(sizes, weights, name, inputs, targets) for name in OPTIMIZERS},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--d-model", type=int, default=32)
    parser.add_argument("--d-ff", type=int, default=48)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--vocab", type=int, default=61)
    parser.add_argument("--context", type=int, default=12)
    parser.add_argument("--seed", type=int, default=336)
    arguments = vars(parser.parse_args())
    file, seed = arguments.pop("file"), arguments.pop("seed")
    torch.save(fixture(Sizes(**arguments), seed), file)


if __name__ == "__main__":
    main()
