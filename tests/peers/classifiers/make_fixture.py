# SPDX-License-Identifier: Apache-2.0
"""Writes the results of transformers' and torchvision's classifiers, which
tests/trainer/classifiers_peer_test.cpp compares with.

    python tests/peers/classifiers/make_fixture.py classifiers.pt distilbert resnet18

The file is a pickled dictionary with an entry for each named model: `sizes` by the names of
Strata's configuration, `weights` and `gradients` by the names of Strata's parameters, `buffers` and
`buffers_after` one forward by those of its buffers, and of one batch `inputs`, `targets` [batch],
`logits` and `loss`. Strata's names are the libraries', without DistilBERT's prefix.
"""

import argparse
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

BATCH = 4
PADDING = 0  # DistilBERT's token without a gradient
DISTILBERT = {
    "layers": 2,
    "d_model": 24,
    "d_ff": 40,
    "heads": 4,
    "vocab": 37,
    "context": 11,
    "positions": 14,
    "norm_epsilon": 1e-12,
    "classes": 5,
}
IMAGE_SIZE = 64  # leaves 2 x 2 pixels for the last norms
RESNET = {"classes": 10}


class LogitsOf(torch.nn.Module):
    def __init__(self, distilbert):
        super().__init__()
        self.distilbert = distilbert

    def forward(self, tokens):
        return self.distilbert(input_ids=tokens).logits


def distilbert() -> tuple:
    import transformers  # takes seconds, and ResNets do not need it

    config = transformers.DistilBertConfig(
        n_layers=DISTILBERT["layers"],
        dim=DISTILBERT["d_model"],
        hidden_dim=DISTILBERT["d_ff"],
        n_heads=DISTILBERT["heads"],
        vocab_size=DISTILBERT["vocab"],
        max_position_embeddings=DISTILBERT["positions"],
        num_labels=DISTILBERT["classes"],
        pad_token_id=PADDING,
        attn_implementation="eager",
        **dict.fromkeys(("dropout", "attention_dropout", "seq_classif_dropout"), 0.0),
    )
    model = transformers.DistilBertForSequenceClassification(config)
    tokens = torch.randint(DISTILBERT["vocab"], (BATCH, DISTILBERT["context"]))
    tokens[1, 3:5] = PADDING
    return LogitsOf(model), DISTILBERT, tokens


def resnet(name: str) -> tuple:
    import torchvision

    model = getattr(torchvision.models, name)(num_classes=RESNET["classes"])
    return model, RESNET, torch.rand(BATCH, 3, IMAGE_SIZE, IMAGE_SIZE) * 2 - 1


MODELS = {
    "distilbert": distilbert,
    "resnet18": lambda: resnet("resnet18"),
    "resnet50": lambda: resnet("resnet50"),
}


def draw(model: torch.nn.Module) -> None:
    """Draw weights and statistics: none is 0 or 1 and hides its effect, or is so small that the
    model is linear."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() < 4:  # convolutions are scaled for their depth
                parameter.normal_(std=0.3)
            if parameter.dim() == 1 and name.endswith("weight"):  # a norm's weight
                parameter += 1
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(std=0.3)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 2.0)
            elif name.endswith("num_batches_tracked"):
                buffer.fill_(3)


def as_ours(tensors) -> dict:
    return {
        name.removeprefix("distilbert.").removeprefix("distilbert."): tensor.detach().clone(
            memory_format=torch.contiguous_format
        )
        for name, tensor in tensors
    }


def fixture(name: str, seed: int) -> dict:
    torch.manual_seed(seed)
    model, sizes, inputs = MODELS[name]()
    draw(model)
    model.train()
    weights, buffers = as_ours(model.named_parameters()), as_ours(model.named_buffers())
    targets = torch.randint(sizes["classes"], (BATCH,))
    logits = model(inputs)
    loss = F.cross_entropy(logits, targets)
    loss.backward()
    return {
        "sizes": sizes,
        "weights": weights,
        "buffers": buffers,
        "buffers_after": as_ours(model.named_buffers()),
        "inputs": inputs,
        "targets": targets,
        "logits": logits.detach(),
        "loss": loss.item(),
        "gradients": as_ours((name, parameter.grad) for name, parameter in model.named_parameters()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("model", nargs="+", choices=list(MODELS))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    torch.save({name: fixture(name, options.seed) for name in options.model}, options.file)


if __name__ == "__main__":
    main()
