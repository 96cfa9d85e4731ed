# SPDX-License-Identifier: Apache-2.0
"""The cases' models, batches and optimizers in Python."""

import os
import pathlib
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
from profiled_cases import SMALL  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1] / "memory"))
from course_model import Transformer  # noqa: E402

CLASSES, PIXELS = 10, 32


class LogitsOf(torch.nn.Module):
    """A transformers model. Keeps only the logits of its output, and no keys or values for later
    tokens."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(input_ids=tokens, use_cache=False).logits


def transformer():
    model = Transformer(**SMALL)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.02)
    return model


def llama():
    import transformers

    config = transformers.LlamaConfig(
        vocab_size=SMALL["vocab"],
        hidden_size=SMALL["d_model"],
        intermediate_size=SMALL["d_ff"],
        num_hidden_layers=SMALL["layers"],
        num_attention_heads=SMALL["heads"],
        max_position_embeddings=SMALL["context"],
        attn_implementation="eager",
    )
    return LogitsOf(transformers.LlamaForCausalLM(config))


def resnet18():
    import torchvision

    return torchvision.models.resnet18(num_classes=CLASSES)


def make_model(settings):
    return {"transformer": transformer, "llama": llama, "resnet18": resnet18}[settings["model"]]().train()


def make_batch(settings):
    size = settings["batch"]
    if settings["model"] == "resnet18":
        return torch.zeros(size, 3, PIXELS, PIXELS), torch.zeros(size, dtype=torch.long)
    tokens = torch.zeros(size, SMALL["context"] + 1, dtype=torch.long)
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def galore(model, settings):
    import galore_torch

    names = ("self_attn", "mlp")
    projected = [weight for name, weight in model.named_parameters() if any(part in name for part in names)]
    others = [weight for name, weight in model.named_parameters() if not any(part in name for part in names)]
    how = {"rank": settings["rank"], "update_proj_gap": 200, "scale": 0.25, "proj_type": "std"}
    groups = [{"params": others}, {"params": projected, **how}]
    return galore_torch.GaLoreAdamW(groups, lr=1e-3, weight_decay=0.01, no_deprecation_warning=True)


def make_optimizer(model, settings):
    """Return None if there is no backward."""
    if settings["mode"] == "forward":
        return None
    if settings["optimizer"] == "galore_adamw":
        return galore(model, settings)
    how = {"lr": 1e-3, "weight_decay": 0.01, "foreach": settings["impl"] == "foreach"}
    if settings["optimizer"] == "sgd":
        return torch.optim.SGD(model.parameters(), momentum=settings["momentum"], **how)
    return torch.optim.AdamW(model.parameters(), **how)
