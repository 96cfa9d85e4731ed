# SPDX-License-Identifier: Apache-2.0
"""Trainings that both the host and train.py run, and the allowed difference between the two.

A case gives its model, shape, attention, precision, optimizer and so on in the host's words.
`yaml_of` makes the host's file from it, and train.py reads it directly.
"""

import dataclasses

MODELS = {  # as the host names them
    "llama-60m": "name: llama, size: 60m",
    "gpt2-small": "name: gpt2, size: small",
    "cs336-small": "name: transformer, size: small",
    "qwen-small": "name: qwen, size: custom, layers: 4, d_model: 256, d_ff: 704, heads: 8, kv_heads: 2, vocab: 8000",
    "qwen-0.5b": "name: qwen, size: 0.5b",
    "distilbert": "name: distilbert",
    "resnet18": "name: resnet18",
    "resnet50": "name: resnet50",
}
CHECKPOINTING = {"none": "none", "block": "block", "reentrant": "{every: 1, reentrant: true}"}

PLAIN = {
    "context": 512,
    "batch": 8,
    "dropout": 0.0,
    "attention": "naive",
    "precision": "fp32",
    "optimizer": "adamw",
    "impl": "foreach",
    "checkpointing": "none",
    "accumulation": 1,
    "ranks": 1,
    "gradient_as_bucket_view": False,
}
FEW_TOKENS = {"context": 32, "batch": 1}  # so few that the peak is in the optimizer's step

# With so many tokens the peak is at the end of forward or the start of backward, unless blocks are
# checkpointed.
VARIANTS = {
    "plain": {},
    "sdpa": {"attention": "sdpa"},
    "bf16_autocast": {"precision": "bf16_autocast"},
    "bf16_autocast, sdpa": {"precision": "bf16_autocast", "attention": "sdpa"},
    "fp16_autocast": {"precision": "fp16_autocast"},
    "bf16": {"precision": "bf16"},
    "bf16, sdpa": {"precision": "bf16", "attention": "sdpa"},
    "block": {"checkpointing": "block"},
    "reentrant": {"checkpointing": "reentrant"},
    "bf16_autocast, block": {"precision": "bf16_autocast", "checkpointing": "block"},
    "bf16_autocast, reentrant": {"precision": "bf16_autocast", "checkpointing": "reentrant"},
    "2 micro-batches": {"accumulation": 2},
    "sgd": {"optimizer": "sgd"},
    "few tokens, foreach": FEW_TOKENS,
    "few tokens, loop": {**FEW_TOKENS, "impl": "loop"},
    "few tokens, fused": {**FEW_TOKENS, "impl": "fused"},
    "few tokens, sgd": {**FEW_TOKENS, "optimizer": "sgd"},
    "few tokens, sgd, loop": {**FEW_TOKENS, "optimizer": "sgd", "impl": "loop"},
    "few tokens, sgd, fused": {**FEW_TOKENS, "optimizer": "sgd", "impl": "fused"},
    "few tokens, bf16": {**FEW_TOKENS, "precision": "bf16"},
    "few tokens, fp16_autocast": {**FEW_TOKENS, "precision": "fp16_autocast"},
}
# Only GPT-2 and DistilBERT have dropout; in checkpointed blocks they repeat the same dropout.
DROPPING = ("gpt2-small", "distilbert")
# One rank of eight, over NCCL: gradients are averaged in buckets.
RANKS = {
    "8 ranks": {"ranks": 8},
    "8 ranks, views of buckets": {"ranks": 8, "gradient_as_bucket_view": True},
    "8 ranks, bf16_autocast, block": {"ranks": 8, "precision": "bf16_autocast", "checkpointing": "block"},
    "8 ranks, 2 micro-batches": {"ranks": 8, "accumulation": 2},
    "8 ranks, few tokens": {"ranks": 8, **FEW_TOKENS},
}
DROPOUT = {
    "dropout": {"dropout": 0.1},
    "dropout, sdpa": {"dropout": 0.1, "attention": "sdpa"},
    "dropout, block": {"dropout": 0.1, "checkpointing": "block"},
}

# Images of this width and height; nothing in the model has attention or dropout.
IMAGES = {
    **{key: value for key, value in PLAIN.items() if key not in ("context", "dropout", "attention")},
    "image_size": 224,
    "batch": 4,
}
FEW_PIXELS = {"image_size": 32, "batch": 2}
IMAGE_VARIANTS = {
    "plain": {},
    "bf16_autocast": {"precision": "bf16_autocast"},
    "fp16_autocast": {"precision": "fp16_autocast"},
    "bf16": {"precision": "bf16"},
    "block": {"checkpointing": "block"},
    "2 micro-batches": {"accumulation": 2},
    "sgd": {"optimizer": "sgd"},
    "sgd, loop": {"optimizer": "sgd", "impl": "loop"},
    "sgd, bf16_autocast": {"optimizer": "sgd", "precision": "bf16_autocast"},
    "few pixels, foreach": FEW_PIXELS,
    "few pixels, loop": {**FEW_PIXELS, "impl": "loop"},
    "few pixels, fused": {**FEW_PIXELS, "impl": "fused"},
    "few pixels, sgd": {**FEW_PIXELS, "optimizer": "sgd"},
    "few pixels, sgd, loop": {**FEW_PIXELS, "optimizer": "sgd", "impl": "loop"},
    "8 ranks": {"ranks": 8},
    "few pixels, 8 ranks": {"ranks": 8, **FEW_PIXELS},
}
SEEING = ("resnet18", "resnet50")
REPLICATED = ("gpt2-small", "cs336-small", "distilbert")


# A model of a practical size, most of which is its vocabulary.
OF_QWEN = ("plain", "sdpa", "bf16_autocast, sdpa", "bf16, sdpa", "block", "sgd", "few tokens, foreach", "few tokens, loop")


def cases_of(model):
    if model == "qwen-0.5b":
        return {name: {**PLAIN, **VARIANTS[name]} for name in OF_QWEN}
    if model in SEEING:
        return {name: {**IMAGES, **options} for name, options in IMAGE_VARIANTS.items()}
    variants = {**VARIANTS, **DROPOUT} if model in DROPPING else VARIANTS
    if model in REPLICATED:
        variants = {**variants, **RANKS}
    return {name: {**PLAIN, **options} for name, options in variants.items()}


CASES = {
    f"{model}, {name}": {"model": model, **case} for model in MODELS for name, case in cases_of(model).items()
}

# One case of each kind for the first models, and for the others what these do not have; the rest
# run with the long tests.
ONE_OF_EACH_KIND = (
    "plain",
    "sdpa",
    "bf16_autocast",
    "bf16",
    "block",
    "few tokens, foreach",
    "few tokens, fused",
    "few tokens, sgd",
    "8 ranks",
    "8 ranks, views of buckets",
)
QUICK = {
    **dict.fromkeys(("llama-60m", "gpt2-small", "cs336-small"), ONE_OF_EACH_KIND),
    "qwen-small": ("plain", "block"),
    "qwen-0.5b": (),
    "distilbert": ("plain", "bf16_autocast, block", "dropout, sdpa"),
    "resnet18": ("plain", "sgd, loop"),
    "resnet50": ("sgd, bf16_autocast",),
}


def is_quick(name):
    model, variant = name.split(", ", 1)
    return variant in QUICK[model]


@dataclasses.dataclass(frozen=True)
class Difference:
    """A tensor that Python's program holds at the peak and the host does not."""

    bytes: int  # of the tensor itself; the allocator rounds up to 512
    tensors: str
    why: str
    where: dict  # its cases: those that have one of these values for each of these keys

    @property
    def allocated_bytes(self):
        return -(-self.bytes // 512) * 512


INVERSE_FREQUENCIES = (
    "transformers keeps the inverse frequencies twice, those it computes with and those it began with, because some kinds of"
    " RoPE change the former while training. The host has none of these kinds, and keeps one."
)
DIVISOR = (
    "torch.optim's loop over the parameters holds the divisor of one until that of the next is there, in the variable `denom`;"
    " LibTorch's frees it first. Most is allocated at the next one, "
)
LARGEST_CONVOLUTION = "a convolution's of 3 x 3 pixels, from 512 channels to 512."

EXPLAINED = [
    *(
        Difference(
            frequencies * 4,
            f"original_inv_freq of rotary_emb, {frequencies} float32",
            INVERSE_FREQUENCIES,
            {"model": [model]},
        )
        for model, frequencies in (("llama-60m", 32), ("qwen-small", 16), ("qwen-0.5b", 32))
    ),
    Difference(
        512 * 8,
        "position_ids, 512 int64",
        "transformers hands its decoder layers the positions that their rotary embeddings were computed from. The layers"
        " do not read them, but a checkpointed one keeps all its arguments until backward. The host hands on the"
        " embeddings alone. (GPT-2's positions are kept by both, for the gradient of wpe.)",
        {"model": ["llama-60m", "qwen-small", "qwen-0.5b"], "checkpointing": ["block", "reentrant"]},
    ),
    *(
        Difference(
            width * 4,
            f"the divisor of a norm's update, {width} float32",
            DIVISOR + next_one,
            {"model": [model], "optimizer": ["adamw"], "impl": ["loop"]},
        )
        for model, width, next_one in (
            ("llama-60m", 512, "the head's."),
            ("cs336-small", 768, "the head's."),
            ("resnet18", 512, LARGEST_CONVOLUTION),
            ("resnet50", 512, LARGEST_CONVOLUTION),
        )
    ),
]


def explained(case):
    """Return the differences that a case must have; there may be no others."""
    return [
        difference
        for difference in EXPLAINED
        if all(case.get(key) in values for key, values in difference.where.items())
    ]


def model_of(case):
    keys = ["context"] + ["dropout"] * (case["model"] in DROPPING)
    if case["model"] in SEEING:
        keys = ["image_size"]
    return ", ".join([MODELS[case["model"]], *(f"{key}: {case[key]}" for key in keys)])


def steps_of(case):
    """After its first step DDP rebuilds its buckets. NCCL's watchdog checks its work every 100 ms
    and keeps the old buckets until then. This is longer than a host's step takes here, which with
    few pixels takes a millisecond or two."""
    if case["ranks"] == 1:
        return 3
    return 200 if case["model"] in SEEING else 40


def yaml_of(case):
    momentum = ", momentum: 0.9" if case["optimizer"] == "sgd" else ""
    attention = f"attention: {case['attention']}\n" if "attention" in case else ""
    return f"""\
model: {{{model_of(case)}}}
data: {{batch_size: {case["batch"]}}}
optimizer: {{name: {case["optimizer"]}, impl: {case["impl"]}, weight_decay: 0.01{momentum}}}
precision: {case["precision"]}
{attention}\
checkpointing: {CHECKPOINTING[case["checkpointing"]]}
accumulation: {case["accumulation"]}
world_size: {case["ranks"]}
ddp: {{ranks: {"first" if case["ranks"] > 1 else "all"}, gradient_as_bucket_view: {str(case["gradient_as_bucket_view"]).lower()}}}
schedule: {{wait: 0, warmup: 1, active: {steps_of(case) - 1}}}
backend: {{threads: 1}}
plugins: [allocator_tracer]
"""
