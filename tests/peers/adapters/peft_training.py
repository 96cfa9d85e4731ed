# SPDX-License-Identifier: Apache-2.0
"""Trains adapters with peft. Reads cases of adapter_cases.py, one line of JSON each, and answers
each with a line: the number of parameters and of trained parameters, and each step's loss and peak
allocated bytes. `device: cuda` needs `strata exec --dry ...` or a GPU.
"""

import contextlib
import gc
import json
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import bitsandbytes  # noqa: E402
import peft  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import transformers  # noqa: E402
from hash_weights import fill_with_hash, hashed_tokens  # noqa: E402

transformers.logging.disable_progress_bar()

STEPS = 3
HALF = {"bf16": torch.bfloat16, "bf16_autocast": torch.bfloat16}


def model_config(case):
    sizes = case["sizes"]
    shared = {"attn_implementation": "sdpa", "use_cache": False, "vocab_size": sizes["vocab"]}
    if case["model"] == "gpt2":
        dropouts = dict.fromkeys(("embd_pdrop", "attn_pdrop", "resid_pdrop"), 0.0)
        return transformers.GPT2Config(
            n_embd=sizes["d_model"], n_inner=sizes["d_ff"], n_layer=sizes["layers"], n_head=sizes["heads"], **dropouts, **shared
        )
    kind = transformers.LlamaConfig if case["model"] == "llama" else transformers.Qwen2Config
    return kind(
        hidden_size=sizes["d_model"],
        intermediate_size=sizes["d_ff"],
        num_hidden_layers=sizes["layers"],
        num_attention_heads=sizes["heads"],
        num_key_value_heads=sizes["kv_heads"],
        tie_word_embeddings=case["model"] == "qwen",
        rope_parameters={"rope_type": "default", "rope_theta": 1e6 if case["model"] == "qwen" else 1e4},
        **shared,
    )


def base_model(case):
    """Return the base model. In 4 bits it is loaded from a file, because only from_pretrained
    quantizes."""
    base = case["adapter"]["base"]
    dtype = torch.bfloat16 if base == "bf16" or (base == "nf4" and case["precision"] in HALF) else torch.float32
    torch.set_default_dtype(dtype)
    with torch.device("cpu" if base == "nf4" else case["device"]):
        model = transformers.AutoModelForCausalLM.from_config(model_config(case), dtype=dtype)
    torch.set_default_dtype(torch.float32)
    if base != "nf4":
        return model
    how = transformers.BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_compute_dtype=dtype,
        bnb_4bit_use_double_quant=case["adapter"]["double_quantization"],
    )
    if case["hashed"]:
        fill_with_hash(model, case["series"])
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        where = {"": 0 if case["device"] == "cuda" else "cpu"}
        return transformers.AutoModelForCausalLM.from_pretrained(
            folder, quantization_config=how, dtype=dtype, device_map=where, attn_implementation="sdpa"
        )


def adapted_model(case):
    adapter = case["adapter"]
    model = base_model(case)
    lora = peft.LoraConfig(
        r=adapter["rank"],
        lora_alpha=adapter["alpha"],
        target_modules=adapter["targets"],
        lora_dropout=adapter["dropout"],
        fan_in_fan_out=case["model"] == "gpt2",
        task_type="CAUSAL_LM",
    )
    model = peft.get_peft_model(model, lora)
    if case["checkpointing"] == "block":
        model.base_model.model.activation_checkpointing_enable({"use_reentrant": False})
    if case["hashed"]:
        fill_with_hash(model.base_model.model, case["series"])
    return model.train()


def batches(case):
    shape = (case["batch"], case["context"] + 1)
    for step in range(STEPS):
        tokens = hashed_tokens(shape, step, case["sizes"]["vocab"]) if case["hashed"] else torch.zeros(shape, dtype=torch.long)
        yield tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def logits_of(model, tokens):
    return model(input_ids=tokens).logits


def loss_of(model, inputs, targets):
    return F.cross_entropy(logits_of(model, inputs).flatten(0, -2), targets.flatten())


def step(model, optimizer, case, batch):
    optimizer.zero_grad(set_to_none=True)
    inputs, targets = (tensor.to(case["device"]) for tensor in batch)
    autocast = case["precision"].endswith("_autocast")
    with torch.autocast(case["device"], dtype=torch.bfloat16) if autocast else contextlib.nullcontext():
        loss = loss_of(model, inputs, targets)
    value = loss.item()
    loss.backward()
    optimizer.step()
    return value


def train(case):
    on_gpu = case["device"] == "cuda"
    if on_gpu:
        torch._C._accelerator_setAllocatorSettings(case["allocator"])
    else:
        torch.set_num_threads(1)
    model = adapted_model(case)
    trained, total = model.get_nb_trainable_parameters()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01, foreach=True)
    told = {"trained": trained, "parameters": total, "losses": [], "allocated": []}
    for batch in batches(case):
        if on_gpu:
            torch.cuda.reset_peak_memory_stats()
        told["losses"].append(step(model, optimizer, case, batch))
        if on_gpu:
            told["allocated"].append(torch.cuda.max_memory_allocated())
    return told


def forget(device):
    """Reset the process, so that one training does not affect the next."""
    gc.collect()
    if device == "cuda":
        bitsandbytes.functional.name2qmap.clear()
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()
        assert torch.cuda.memory_allocated() == 0


def main():
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(train(case)), flush=True)
        forget(case["device"])


if __name__ == "__main__":
    main()
