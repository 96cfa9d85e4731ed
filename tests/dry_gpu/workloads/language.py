# SPDX-License-Identifier: Apache-2.0
"""Three training steps of a transformers model, made from its configuration.

    language.py MODEL BATCH TOKENS OPTIMIZER [accumulate=N] [attention=sdpa|eager] [bfloat16]
        [checkpoint]

OPTIMIZER: adamw, fused, or galore=RANK.
"""

import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import transformers  # noqa: E402
from recording import STEPS, Recording  # noqa: E402

# GaLore's configurations, which have LLaMA's form: width, feed-forward's width, layers, heads.
LLAMA = {
    "llama-60m": (512, 1376, 8, 8),
    "llama-100m": (640, 1708, 12, 10),
    "llama-130m": (768, 2048, 12, 12),
    "llama-350m": (1024, 2736, 24, 16),
    "llama-1b": (2048, 5461, 24, 32),
    "llama-7b": (4096, 11008, 32, 32),
}


def make_model(name, attention):
    options = {"attn_implementation": attention} if attention else {}
    if name == "distilbert":
        return transformers.DistilBertForSequenceClassification(transformers.DistilBertConfig(**options))
    if name == "bert-large":
        shape = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
        return transformers.BertForSequenceClassification(transformers.BertConfig(**shape, **options))
    if name == "gpt2":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(**options))
    if name == "gpt2-large":
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=1280, n_layer=36, n_head=20, **options))
    width, feed_forward, layers, heads = LLAMA[name]
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=32000,
            max_position_embeddings=2048,
            use_cache=False,
            hidden_size=width,
            intermediate_size=feed_forward,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            **options,
        )
    )


def make_optimizer(model, name):
    name, _, rank = name.partition("=")
    if name != "galore":
        return torch.optim.AdamW(model.parameters(), lr=1e-3, fused=name == "fused" or None)
    from galore_torch import GaLoreAdamW  # the import already uses CUDA, through bitsandbytes

    low_rank = [p for name, p in model.named_parameters() if p.dim() == 2 and ("attn" in name or "mlp" in name)]
    chosen = {id(parameter) for parameter in low_rank}
    groups = [
        {"params": [parameter for parameter in model.parameters() if id(parameter) not in chosen]},
        {"params": low_rank, "rank": int(rank), "update_proj_gap": 200, "scale": 0.25, "proj_type": "std"},
    ]
    return GaLoreAdamW(groups, lr=1e-3)


def main():
    name, batch, tokens, optimizer_name, *words = sys.argv[1:]
    options = dict(word.partition("=")[::2] for word in words)
    recording = Recording()
    torch.set_default_dtype(torch.bfloat16 if "bfloat16" in options else torch.float32)
    with torch.device("cuda"):
        model = make_model(name, options.get("attention"))
    torch.set_default_dtype(torch.float32)
    model.train()
    if "checkpoint" in options:
        model.gradient_checkpointing_enable()
    optimizer = make_optimizer(model, optimizer_name)
    inputs = torch.zeros(int(batch), int(tokens), dtype=torch.long, device="cuda")
    is_classifier = name in ("distilbert", "bert-large")
    labels = torch.zeros(int(batch), dtype=torch.long, device="cuda") if is_classifier else inputs
    micro_batches = int(options.get("accumulate", 1))
    for _ in range(STEPS):
        with recording.step():
            for _ in range(micro_batches):
                outputs = model(input_ids=inputs, labels=labels)
                (outputs.loss / micro_batches).backward()
                del outputs
            optimizer.step()
            optimizer.zero_grad()
    recording.tell(model)


main()
