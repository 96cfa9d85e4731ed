# SPDX-License-Identifier: Apache-2.0
"""The workloads by name: program and arguments. docs/workloads.md shows their peaks."""

WORKLOADS = {
    "distilbert, batch 1": ("language.py", "distilbert", "1", "128", "adamw"),
    "distilbert, batch 1, 4 micro-batches": ("language.py", "distilbert", "1", "128", "adamw", "accumulate=4"),
    "distilbert, batch 32, 4 micro-batches": ("language.py", "distilbert", "32", "128", "adamw", "accumulate=4"),
    "distilbert, batch 32, 4 micro-batches, fused": ("language.py", "distilbert", "32", "128", "fused", "accumulate=4"),
    # GaLore's name filter matches nothing in DistilBERT, so this is plain AdamW in GaLore's own
    # loop.
    "distilbert, batch 32, 4 micro-batches, galore": ("language.py", "distilbert", "32", "128", "galore=4", "accumulate=4"),
    "gpt2": ("language.py", "gpt2", "4", "1024", "adamw"),
    "gpt2, eager attention": ("language.py", "gpt2", "4", "1024", "adamw", "attention=eager"),
    "gpt2-large": ("language.py", "gpt2-large", "4", "1024", "adamw"),
    "gpt2-large, bfloat16, fused": ("language.py", "gpt2-large", "4", "1024", "fused", "bfloat16"),
    "bert-large": ("language.py", "bert-large", "4", "512", "adamw"),
    "bert-large, eager attention": ("language.py", "bert-large", "4", "512", "adamw", "attention=eager"),
    "llama-60m": ("language.py", "llama-60m", "16", "256", "adamw"),
    "llama-60m, galore 128": ("language.py", "llama-60m", "16", "256", "galore=128"),
    "llama-100m": ("language.py", "llama-100m", "4", "1024", "adamw"),
    "llama-100m, galore 128": ("language.py", "llama-100m", "4", "1024", "galore=128"),
    "llama-130m": ("language.py", "llama-130m", "16", "256", "adamw"),
    "llama-130m, galore 256": ("language.py", "llama-130m", "16", "256", "galore=256"),
    "llama-350m": ("language.py", "llama-350m", "16", "256", "adamw"),
    "llama-350m, galore 256": ("language.py", "llama-350m", "16", "256", "galore=256"),
    "llama-1b, bfloat16": ("language.py", "llama-1b", "16", "256", "adamw", "bfloat16"),
    "llama-1b, bfloat16, galore 512": ("language.py", "llama-1b", "16", "256", "galore=512", "bfloat16"),
    "llama-7b, bfloat16": ("language.py", "llama-7b", "1", "2048", "adamw", "bfloat16"),
    "llama-7b, bfloat16, galore 1024": ("language.py", "llama-7b", "1", "2048", "galore=1024", "bfloat16"),
    "llama-7b, bfloat16, checkpointing": ("language.py", "llama-7b", "1", "2048", "adamw", "bfloat16", "checkpoint"),
    "llama-7b, bfloat16, checkpointing, batch 16": (
        *("language.py", "llama-7b", "16", "2048", "adamw", "bfloat16", "checkpoint"),
    ),
    "resnet50": ("vision.py", "resnet50", "32", "sgd"),
    "resnet50, half, channels last": ("vision.py", "resnet50", "32", "sgd", "channels_last", "half"),
    "resnet50, benchmark": ("vision.py", "resnet50", "32", "sgd", "benchmark"),
    "vit_l_16": ("vision.py", "vit_l_16", "32", "adam"),
}

# These fit on the smallest card and run on every card.
EVERYWHERE = ("distilbert, batch 32, 4 micro-batches", "gpt2", "llama-60m", "llama-60m, galore 128", "resnet50")

# cuDNN's workspace is a setting; its effect on the peaks is recorded as well.
WORKSPACES = {"resnet50": ("32MiB", "256MiB")}
