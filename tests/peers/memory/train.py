# SPDX-License-Identifier: Apache-2.0
"""Trains cases of cases.py, one line of JSON each, and answers with a line: each step's peak of
allocated bytes, and of the bytes that tensors requested. Run it under `strata exec --dry ...`.

Each training has its own process, forked before CUDA is used, so that it does not affect the
others, for example with cuBLAS's workspaces.
"""

import contextlib
import json
import multiprocessing
import os
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import torch._dynamo  # noqa: E402, F401  (which optimizers and checkpoints import at their first use: here it is shared)
import torch.distributed  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torchvision  # noqa: E402
import transformers  # noqa: E402
from course_model import Transformer  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402
from transformers.models.distilbert import modeling_distilbert  # noqa: E402, F401
from transformers.models.gpt2 import modeling_gpt2  # noqa: E402, F401
from transformers.models.llama import modeling_llama  # noqa: E402, F401
from transformers.models.qwen2 import modeling_qwen2  # noqa: E402, F401

STEPS = 3
ATTENTION = {"naive": "eager", "sdpa": "sdpa"}
# The value of torch.utils.checkpoint's use_reentrant for each checkpointing.
REENTRANT = {"none": None, "block": False, "reentrant": True}


class LogitsOf(torch.nn.Module):
    """A transformers model. Keeps only the logits of its output, and no keys or values for later
    tokens."""

    def __init__(self, model, use_reentrant, **options):
        super().__init__()
        self.model = model
        self.options = options
        if use_reentrant is not None:
            model.activation_checkpointing_enable({"use_reentrant": use_reentrant})

    def forward(self, tokens):
        return self.model(input_ids=tokens, **self.options).logits


def llama_60m(case):
    config = transformers.LlamaConfig(
        vocab_size=32_000,
        hidden_size=512,
        intermediate_size=1376,
        num_hidden_layers=8,
        num_attention_heads=8,
        attn_implementation=ATTENTION[case["attention"]],
    )
    return LogitsOf(transformers.LlamaForCausalLM(config), REENTRANT[case["checkpointing"]], use_cache=False)


QWEN_SIZES = {
    "qwen-small": {
        "vocab_size": 8000,
        "hidden_size": 256,
        "intermediate_size": 704,
        "num_hidden_layers": 4,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
    },
    "qwen-0.5b": {
        "vocab_size": 151_936,
        "hidden_size": 896,
        "intermediate_size": 4864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
        "num_key_value_heads": 2,
    },
}


def qwen(case):
    config = transformers.Qwen2Config(
        **QWEN_SIZES[case["model"]], tie_word_embeddings=True, attn_implementation=ATTENTION[case["attention"]]
    )
    return LogitsOf(transformers.Qwen2ForCausalLM(config), REENTRANT[case["checkpointing"]], use_cache=False)


def gpt2_small(case):
    dropouts = dict.fromkeys(("embd_pdrop", "attn_pdrop", "resid_pdrop"), case["dropout"])
    config = transformers.GPT2Config(attn_implementation=ATTENTION[case["attention"]], **dropouts)
    return LogitsOf(transformers.GPT2LMHeadModel(config), REENTRANT[case["checkpointing"]], use_cache=False)


def distilbert(case):
    dropouts = dict.fromkeys(("dropout", "attention_dropout", "seq_classif_dropout"), case["dropout"])
    config = transformers.DistilBertConfig(attn_implementation=ATTENTION[case["attention"]], **dropouts)
    return LogitsOf(transformers.DistilBertForSequenceClassification(config), REENTRANT[case["checkpointing"]])


def course_small(case):
    return Transformer(
        vocab=10_000,
        context=case["context"],
        d_model=768,
        d_ff=3072,
        layers=12,
        heads=12,
        is_naive=case["attention"] == "naive",
        use_reentrant=REENTRANT[case["checkpointing"]],
    )


class Checkpointed(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)


def resnet(case):
    """torchvision's, which has no switch for checkpointing."""
    model = getattr(torchvision.models, case["model"])()
    if case["checkpointing"] == "block":
        for stage in (model.layer1, model.layer2, model.layer3, model.layer4):
            for number, block in enumerate(stage):
                stage[number] = Checkpointed(block)
    return model


def next_tokens(case):
    tokens = torch.zeros(case["batch"], case["context"] + 1, dtype=torch.long)
    return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def labelled_sequences(case):
    return torch.zeros(case["batch"], case["context"], dtype=torch.long), torch.zeros(case["batch"], dtype=torch.long)


def labelled_images(case):
    dtype = torch.bfloat16 if case["precision"] == "bf16" else torch.float32
    images = torch.zeros(case["batch"], 3, case["image_size"], case["image_size"], dtype=dtype)
    return images, torch.zeros(case["batch"], dtype=torch.long)


# Each model with its batches.
MODELS = {
    "llama-60m": (llama_60m, next_tokens),
    "gpt2-small": (gpt2_small, next_tokens),
    "cs336-small": (course_small, next_tokens),
    "qwen-small": (qwen, next_tokens),
    "qwen-0.5b": (qwen, next_tokens),
    "distilbert": (distilbert, labelled_sequences),
    "resnet18": (resnet, labelled_images),
    "resnet50": (resnet, labelled_images),
}


def make_model(case):
    torch.set_default_dtype(torch.bfloat16 if case["precision"] == "bf16" else torch.float32)
    with torch.device("cuda"):
        make, _ = MODELS[case["model"]]
        model = make(case)
    torch.set_default_dtype(torch.float32)
    return model.train()


def make_optimizer(model, case):
    # Both are given, because otherwise torch.optim chooses by the device.
    how = {"foreach": case["impl"] == "foreach", "fused": case["impl"] == "fused"}
    if case["optimizer"] == "sgd":
        return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, weight_decay=0.01, **how)
    return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, **how)


def loss_of(model, inputs, targets):
    return F.cross_entropy(model(inputs).flatten(0, -2), targets.flatten())


def micro_batch(model, case, scaler):
    _, make_batch = MODELS[case["model"]]
    inputs, targets = (tensor.to("cuda") for tensor in make_batch(case))
    half = {"bf16_autocast": torch.bfloat16, "fp16_autocast": torch.float16}.get(case["precision"])
    with torch.autocast("cuda", dtype=half, enabled=half is not None):
        loss = loss_of(model, inputs, targets)
    if case["accumulation"] > 1:
        loss = loss / case["accumulation"]
    loss.item()
    loss = scaler.scale(loss)
    loss.backward()


def replicated(model, case):
    """Uses NCCL, which on a dry device answers for the ranks that do not exist."""
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("nccl", rank=0, world_size=case["ranks"], store=store)
    return torch.nn.parallel.DistributedDataParallel(
        model, device_ids=[0], gradient_as_bucket_view=case["gradient_as_bucket_view"]
    )


def train(case):
    torch._C._accelerator_setAllocatorSettings(case["allocator"])
    model = make_model(case)
    if case["ranks"] > 1:
        model = replicated(model, case)
    optimizer = make_optimizer(model, case)
    scaler = torch.amp.GradScaler("cuda", enabled=case["precision"] == "fp16_autocast")
    allocated, requested = [], []
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        optimizer.zero_grad(set_to_none=True)
        for number in range(case["accumulation"]):
            accumulates = case["ranks"] > 1 and number + 1 < case["accumulation"]
            with model.no_sync() if accumulates else contextlib.nullcontext():
                micro_batch(model, case, scaler)
        scaler.step(optimizer)
        scaler.update()
        if case["ranks"] > 1:
            time.sleep(0.5)  # until NCCL's watchdog has released its work
        allocated.append(torch.cuda.max_memory_allocated())
        requested.append(torch.cuda.memory_stats()["requested_bytes.all.peak"])
    return {"allocated": allocated, "requested": requested}


def in_a_process_of_its_own(case):
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sending.send(train(case)))
    process.start()
    sending.close()
    try:
        return receiving.recv()
    except EOFError:
        raise SystemExit(f"no answer for {case}") from None  # the child has printed the traceback
    finally:
        process.join()


def main():
    for line in sys.stdin:
        print(json.dumps(in_a_process_of_its_own(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
