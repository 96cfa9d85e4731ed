# SPDX-License-Identifier: Apache-2.0
"""torch.profiler's result for reference 003's program: transformers' LLaMA of GaLore's 100M
configuration, five steps on one batch, with AdamW or galore_torch's GaLoreAdamW. Prints JSON like
profiled_resnet50.py.

    strata exec --dry a100-40gb --plugins none -- \\
        python tools/seeds/profiled_llama.py --optimizer galore --rank 128

The loss is computed as in transformers 4, which copied the logits of all tokens but the last.
"""

import argparse
import json
import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import transformers  # noqa: E402
from profiled_timeline import categories_over_time  # noqa: E402

STEPS = 5


def make_model(attention):
    configuration = transformers.LlamaConfig(
        vocab_size=32100, hidden_size=640, intermediate_size=1708, num_hidden_layers=12, num_attention_heads=10,
        max_position_embeddings=1024, rms_norm_eps=1e-6, use_cache=False, attn_implementation=attention,
    )  # fmt: skip
    with torch.device("cuda"):
        return transformers.LlamaForCausalLM(configuration).train()


def make_optimizer(model, name, rank):
    if name == "adamw":
        return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    from galore_torch import GaLoreAdamW  # the import already uses CUDA, through bitsandbytes

    named = dict(model.named_parameters())
    low_rank = [name for name, parameter in named.items() if parameter.dim() == 2 and ("attn" in name or "mlp" in name)]
    groups = [
        {"params": [parameter for name, parameter in named.items() if name not in low_rank]},
        {"params": [named[name] for name in low_rank], "rank": rank, "update_proj_gap": 200, "scale": 0.25, "proj_type": "std"},
    ]
    return GaLoreAdamW(groups, lr=1e-3, weight_decay=0.01)


def loss_of(model, tokens):
    logits = model(input_ids=tokens).logits.float()
    shifted = logits[..., :-1, :].contiguous()
    return torch.nn.functional.cross_entropy(shifted.view(-1, shifted.size(-1)), tokens[..., 1:].contiguous().view(-1))


def profiled(model, optimizer, batch, context):
    sample = torch.zeros(batch, context, dtype=torch.long)
    with torch.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as profiler:
        for _ in range(STEPS):
            tokens = sample.to("cuda")
            loss = loss_of(model, tokens)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    return categories_over_time(profiler, "cuda:0")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--optimizer", choices=["adamw", "galore"], default="adamw")
    options.add_argument("--rank", type=int, default=128)
    options.add_argument("--batch", type=int, default=5)
    options.add_argument("--context", type=int, default=256)
    options.add_argument("--attention", choices=["eager", "sdpa"], default="sdpa")
    chosen = options.parse_args()
    model = make_model(chosen.attention)
    optimizer = make_optimizer(model, chosen.optimizer, chosen.rank)
    print(json.dumps(profiled(model, optimizer, chosen.batch, chosen.context)))


if __name__ == "__main__":
    main()
