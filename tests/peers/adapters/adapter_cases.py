# SPDX-License-Identifier: Apache-2.0
"""Adapters that both the host and peft_training.py train, and the allowed difference between the
two."""

import json

SIZES = {
    "llama": {"layers": 4, "d_model": 512, "d_ff": 1376, "heads": 8, "kv_heads": 8, "vocab": 32000},
    "qwen": {"layers": 4, "d_model": 256, "d_ff": 704, "heads": 8, "kv_heads": 2, "vocab": 8000},
    "gpt2": {"layers": 4, "d_model": 512, "d_ff": 2048, "heads": 8, "vocab": 20000},
}
# With few tokens the peak is in a block's backward, which unpacks weights in 4 bits.
WITHIN_A_BLOCK = {"sizes": {**SIZES["llama"], "layers": 2, "d_model": 1024, "d_ff": 2816, "vocab": 500}, "batch": 2, "context": 1024}
# Rows of whole blocks of 64: for other rows bitsandbytes on the CPU unpacks a different weight than
# it packed.
TINY = {
    "llama": {"layers": 2, "d_model": 64, "d_ff": 192, "heads": 4, "kv_heads": 4, "vocab": 101},
    "qwen": {"layers": 2, "d_model": 64, "d_ff": 192, "heads": 4, "kv_heads": 2, "vocab": 101},
    "gpt2": {"layers": 2, "d_model": 64, "d_ff": 256, "heads": 4, "vocab": 101},
}
ALL = {
    "llama": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
    "gpt2": ["c_attn", "c_proj", "c_fc"],
}
ADAPTER = {"rank": 8, "alpha": 8, "dropout": 0.0, "base": "bf16", "double_quantization": False}
PEFT_TARGETS = {"llama": ["q_proj", "v_proj"], "qwen": ["q_proj", "v_proj"], "gpt2": ["c_attn"]}


def case(model, *, sizes=None, precision="bf16", batch=4, context=512, checkpointing="none", hashed=False, **adapter):
    return {
        "model": model,
        "sizes": sizes or SIZES[model],
        "precision": precision,
        "batch": batch,
        "context": context,
        "checkpointing": checkpointing,
        "hashed": hashed,
        "adapter": {**ADAPTER, "targets": PEFT_TARGETS[model], **adapter},
    }


MEMORY = {
    "llama": case("llama"),
    "llama, all, rank 64": case("llama", targets=ALL["llama"], rank=64, alpha=16),
    "llama, autocast": case("llama", precision="bf16_autocast"),
    "llama, autocast, fp32": case("llama", precision="bf16_autocast", base="fp32"),
    "llama, dropout": case("llama", dropout=0.1),
    "llama, block": case("llama", checkpointing="block"),
    "llama, nf4": case("llama", base="nf4"),
    "llama, nf4, double": case("llama", base="nf4", double_quantization=True),
    "llama, nf4, autocast": case("llama", base="nf4", precision="bf16_autocast"),
    "within a block": case("llama", targets=ALL["llama"], **WITHIN_A_BLOCK),
    "within a block, block": case("llama", targets=ALL["llama"], checkpointing="block", **WITHIN_A_BLOCK),
    "within a block, nf4": case("llama", targets=ALL["llama"], base="nf4", **WITHIN_A_BLOCK),
    "within a block, nf4, double, block": case(
        "llama", targets=ALL["llama"], base="nf4", double_quantization=True, checkpointing="block", **WITHIN_A_BLOCK
    ),
    "within a block, nf4, double, autocast, block": case(
        "llama", precision="bf16_autocast", base="nf4", double_quantization=True, checkpointing="block", **WITHIN_A_BLOCK
    ),
    "qwen": case("qwen"),
    "qwen, nf4": case("qwen", base="nf4"),
    "gpt2": case("gpt2"),
    "gpt2, all, rank 4": case("gpt2", targets=ALL["gpt2"], rank=4),
    "gpt2, nf4": case("gpt2", base="nf4"),
    "gpt2, nf4, all, block": case("gpt2", base="nf4", targets=ALL["gpt2"], checkpointing="block"),
}
# The other cases run with the long tests.
QUICK = ("llama", "llama, autocast", "within a block, nf4, double, block", "qwen, nf4", "gpt2, all, rank 4")

LOSSES = {
    f"{model}, {base}, {precision}": case(
        model, sizes=sizes, precision=precision, batch=2, context=16, hashed=True, base=base, rank=4, alpha=8, **more
    )
    for model, sizes in TINY.items()
    for base, precision, more in (
        ("fp32", "fp32", {}),
        ("nf4", "fp32", {}),
        ("bf16", "bf16", {}),
    )
}
QUICK_LOSSES = ("llama, fp32, fp32", "llama, nf4, fp32", "qwen, nf4, fp32", "gpt2, bf16, bf16")


def differences(case):
    """Return the tensors that peft's program holds at the peak and the host does not, by name, in
    bytes of the allocator."""
    found = {}
    if case["model"] in ("llama", "qwen"):
        # transformers keeps the inverse frequencies twice; all of these fit into one block.
        found["original_inv_freq of rotary_emb"] = 512
    if case["checkpointing"] == "block":
        # The layers do not read them, but a checkpointed layer keeps all its arguments until
        # backward.
        found["position_ids, int64"] = case["context"] * 8
    if case["checkpointing"] == "block" and case["model"] == "gpt2":
        # With checkpoints transformers makes this tensor require a gradient, for reentrant ones,
        # and it is kept to receive the gradient. For llama it is the first block's input, which
        # both keep.
        found["the output of wte"] = 2 * case["batch"] * case["context"] * case["sizes"]["d_model"]
    if case["adapter"]["double_quantization"]:
        found["bitsandbytes' own dynamic map, beside each layer's copy, 256 float32"] = 1024
    return found


def yaml_of(case, **more):
    """Return the case as YAML; JSON is YAML."""
    adapter = {"name": "lora", **case["adapter"]}
    if adapter["base"] != "nf4":
        del adapter["double_quantization"]
    model = {"name": case["model"], "size": "custom", "context": case["context"], **case["sizes"]}
    if case["hashed"]:
        model["init"] = "hash"
    return json.dumps(
        {
            "model": model,
            "adapter": adapter,
            "data": {"source": "hash" if case["hashed"] else "synthetic", "batch_size": case["batch"]},
            "optimizer": {"name": "adamw", "impl": "foreach", "weight_decay": 0.01},
            "precision": case["precision"],
            "attention": "sdpa",
            "checkpointing": case["checkpointing"],
            "schedule": {"wait": 0, "warmup": 1, "active": 2},
            "backend": {"threads": 1},
            "plugins": ["allocator_tracer"],
            **more,
        }
    )
