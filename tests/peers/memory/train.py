"""Trains what it is told to, a line of JSON each as cases.py has it, and answers with a line: for each step, how many bytes
were allocated at most at once, and how many of them tensors had asked for. Run it under `strata exec --dry ...`.

Each training has a process of its own, forked before anything of CUDA is there: what one leaves behind, such as cuBLAS's
workspaces, no other finds.
"""

import json
import multiprocessing
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import torch._dynamo  # noqa: E402, F401  (which optimizers and checkpoints import at their first use: here it is shared)
import torch.nn.functional as F  # noqa: E402
import transformers  # noqa: E402
from course_model import Transformer  # noqa: E402
from transformers.models.gpt2 import modeling_gpt2  # noqa: E402, F401
from transformers.models.llama import modeling_llama  # noqa: E402, F401

STEPS = 3
ATTENTION = {"naive": "eager", "sdpa": "sdpa"}
# What checkpointing asks of torch.utils.checkpoint.
REENTRANT = {"none": None, "block": False, "reentrant": True}


class LogitsOf(torch.nn.Module):
    """One of transformers' models. Nothing else of what it returns is kept, and no key or value for later tokens."""

    def __init__(self, model, use_reentrant):
        super().__init__()
        self.model = model
        if use_reentrant is not None:
            model.activation_checkpointing_enable({"use_reentrant": use_reentrant})

    def forward(self, tokens):
        return self.model(input_ids=tokens, use_cache=False).logits


def llama_60m(case):
    config = transformers.LlamaConfig(
        vocab_size=32_000,
        hidden_size=512,
        intermediate_size=1376,
        num_hidden_layers=8,
        num_attention_heads=8,
        attn_implementation=ATTENTION[case["attention"]],
    )
    return LogitsOf(transformers.LlamaForCausalLM(config), REENTRANT[case["checkpointing"]])


def gpt2_small(case):
    dropouts = dict.fromkeys(("embd_pdrop", "attn_pdrop", "resid_pdrop"), case["dropout"])
    config = transformers.GPT2Config(attn_implementation=ATTENTION[case["attention"]], **dropouts)
    return LogitsOf(transformers.GPT2LMHeadModel(config), REENTRANT[case["checkpointing"]])


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


MODELS = {"llama-60m": llama_60m, "gpt2-small": gpt2_small, "cs336-small": course_small}


def make_model(case):
    torch.set_default_dtype(torch.bfloat16 if case["precision"] == "bf16" else torch.float32)
    with torch.device("cuda"):
        model = MODELS[case["model"]](case)
    torch.set_default_dtype(torch.float32)
    return model.train()


def make_optimizer(model, case):
    # Both named, as torch.optim chooses by the device if it is not told.
    how = {"foreach": case["impl"] == "foreach", "fused": case["impl"] == "fused"}
    if case["optimizer"] == "sgd":
        return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, weight_decay=0.01, **how)
    return torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, **how)


def loss_of(model, inputs, targets):
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def micro_batch(model, case, scaler):
    tokens = torch.zeros(case["batch"], case["context"] + 1, dtype=torch.long)
    inputs, targets = tokens[:, :-1].contiguous().to("cuda"), tokens[:, 1:].contiguous().to("cuda")
    half = {"bf16_autocast": torch.bfloat16, "fp16_autocast": torch.float16}.get(case["precision"])
    with torch.autocast("cuda", dtype=half, enabled=half is not None):
        loss = loss_of(model, inputs, targets)
    if case["accumulation"] > 1:
        loss = loss / case["accumulation"]
    loss.item()
    loss = scaler.scale(loss)
    loss.backward()


def train(case):
    torch._C._accelerator_setAllocatorSettings(case["allocator"])
    model = make_model(case)
    optimizer = make_optimizer(model, case)
    scaler = torch.amp.GradScaler("cuda", enabled=case["precision"] == "fp16_autocast")
    allocated, requested = [], []
    for _ in range(STEPS):
        torch.cuda.reset_peak_memory_stats()
        optimizer.zero_grad(set_to_none=True)
        for _ in range(case["accumulation"]):
            micro_batch(model, case, scaler)
        scaler.step(optimizer)
        scaler.update()
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
        raise SystemExit(f"no answer for {case}") from None  # the traceback is the process's
    finally:
        process.join()


def main():
    for line in sys.stdin:
        print(json.dumps(in_a_process_of_its_own(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
