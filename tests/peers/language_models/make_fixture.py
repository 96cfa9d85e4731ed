# SPDX-License-Identifier: Apache-2.0
"""Writes transformers' results for small models, which tests/trainer/language_models_peer_test.cpp
compares with.

    python tests/peers/language_models/make_fixture.py tests/data/language_models.pt

The file is a pickled dictionary with an entry for each of llama, gpt2 and qwen: `sizes` by the
names of Strata's configuration, `weights` and `gradients` by the names of Strata's parameters, and
of one batch `inputs` and `targets` [batch, context], `logits` and `loss`. Strata's names are
transformers', without the inner model's prefix. Matrices of GPT-2's Conv1D are transposed, because
transformers stores them that way.
"""

import argparse
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import transformers  # noqa: E402

BATCH = 2
# Plain operations, one after the other, and no special tokens.
OPTIONS = {
    "attn_implementation": "eager",
    "use_cache": False,
    **dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id")),
}


def llama(sizes: dict) -> torch.nn.Module:
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**decoder_options(sizes)))


def qwen(sizes: dict) -> torch.nn.Module:
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**decoder_options(sizes)))


def decoder_options(sizes: dict) -> dict:
    return {
        "num_hidden_layers": sizes["layers"],
        "hidden_size": sizes["d_model"],
        "intermediate_size": sizes["d_ff"],
        "num_attention_heads": sizes["heads"],
        "num_key_value_heads": sizes["kv_heads"],
        "vocab_size": sizes["vocab"],
        "max_position_embeddings": sizes["context"],
        "rope_parameters": {"rope_type": "default", "rope_theta": sizes["rope_theta"]},
        "rms_norm_eps": sizes["norm_epsilon"],
        "tie_word_embeddings": sizes["tied"],
        **OPTIONS,
    }


def gpt2(sizes: dict) -> torch.nn.Module:
    config = transformers.GPT2Config(
        n_layer=sizes["layers"],
        n_embd=sizes["d_model"],
        n_inner=sizes["d_ff"],
        n_head=sizes["heads"],
        vocab_size=sizes["vocab"],
        n_positions=sizes["positions"],
        layer_norm_epsilon=sizes["norm_epsilon"],
        tie_word_embeddings=sizes["tied"],
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        resid_pdrop=0.0,
        **OPTIONS,
    )
    return transformers.GPT2LMHeadModel(config)


# Differences from the common sizes: non-default epsilons and bases, to check that they are passed
# on.
MODELS = {
    "llama": (llama, {"rope_theta": 5_000.0, "norm_epsilon": 1e-4, "tied": False}),
    "gpt2": (gpt2, {"norm_epsilon": 1e-4, "tied": True}),
    "qwen": (qwen, {"rope_theta": 20_000.0, "norm_epsilon": 1e-4, "tied": True}),
}


def draw(model: torch.nn.Module) -> None:
    """Draw weights: none is 0 or 1 and hides its effect, or is so small that the model is
    linear."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(std=0.3)
            if parameter.dim() == 1 and name.endswith("weight"):  # a norm's weight
                parameter += 1


def as_ours(model: torch.nn.Module, tensors: dict) -> dict:
    transposed = {
        f"{name}.weight"
        for name, module in model.named_modules()
        if isinstance(module, transformers.pytorch_utils.Conv1D)
    }
    return {
        name.removeprefix("model.").removeprefix("transformer."): copy(tensor.t() if name in transposed else tensor)
        for name, tensor in tensors.items()
    }


def copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone(memory_format=torch.contiguous_format)


def fixture(name: str, shared_sizes: dict, seed: int) -> dict:
    make, own_sizes = MODELS[name]
    sizes = {**shared_sizes, "positions": shared_sizes["context"] + 3, **own_sizes}
    if name == "llama":
        sizes["kv_heads"] = sizes["heads"]
    torch.manual_seed(seed)
    model = make(sizes)
    draw(model)
    tokens = torch.randint(sizes["vocab"], (BATCH, sizes["context"] + 1))
    inputs, targets = tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    logits = model(input_ids=inputs).logits
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    loss.backward()
    parameters = dict(model.named_parameters())
    return {
        "sizes": sizes,
        "weights": as_ours(model, parameters),
        "inputs": inputs,
        "targets": targets,
        "logits": logits.detach(),
        "loss": loss.item(),
        "gradients": as_ours(model, {name: parameter.grad for name, parameter in parameters.items()}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--d-model", type=int, default=16)
    parser.add_argument("--d-ff", type=int, default=28)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--kv-heads", type=int, default=2, help="of qwen; llama's are as many as heads")
    parser.add_argument("--vocab", type=int, default=37)
    parser.add_argument("--context", type=int, default=11)
    parser.add_argument("--seed", type=int, default=7)
    sizes = vars(parser.parse_args())
    file, seed = sizes.pop("file"), sizes.pop("seed")
    torch.save({name: fixture(name, sizes, seed) for name in MODELS}, file)


if __name__ == "__main__":
    main()
