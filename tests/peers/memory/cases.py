"""What is trained twice, by the host and by train.py, and by how much the two may differ.

A case names its model, shape, attention, precision, optimizer and so on in words of the host's; `yaml_of` makes the host's
file of it, train.py reads it as it is.
"""

import dataclasses

MODELS = {  # as the host names them
    "llama-60m": "name: llama, size: 60m",
    "gpt2-small": "name: gpt2, size: small",
    "cs336-small": "name: transformer, size: small",
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
}
FEW_TOKENS = {"context": 32, "batch": 1}  # so few that most is allocated while the optimizer steps

# With so many tokens most is allocated where forward ends and backward begins, unless blocks are checkpointed.
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
# Only GPT-2 drops; and in checkpointed blocks the same again.
DROPOUT = {
    "dropout": {"dropout": 0.1},
    "dropout, sdpa": {"dropout": 0.1, "attention": "sdpa"},
    "dropout, block": {"dropout": 0.1, "checkpointing": "block"},
}

CASES = {
    f"{model}, {name}": {"model": model, **PLAIN, **options}
    for model in MODELS
    for name, options in {**VARIANTS, **(DROPOUT if model == "gpt2-small" else {})}.items()
}

# Of each model one of each kind; the others with the long tests.
QUICK = ("plain", "sdpa", "bf16_autocast", "bf16", "block", "few tokens, foreach", "few tokens, fused", "few tokens, sgd")


@dataclasses.dataclass(frozen=True)
class Difference:
    """What Python's program holds at the peak and the host does not."""

    bytes: int  # of the tensor itself; the allocator rounds up to 512
    tensors: str
    why: str
    where: dict  # the cases that it is in: those with one of these values for each of these keys

    @property
    def allocated_bytes(self):
        return -(-self.bytes // 512) * 512


EXPLAINED = [
    Difference(
        32 * 4,
        "original_inv_freq of rotary_emb, 32 float32",
        "transformers keeps the inverse frequencies twice, those it computes with and those it began with, because some"
        " kinds of RoPE change the former while training. The host has none of these kinds, and keeps one.",
        {"model": ["llama-60m"]},
    ),
    Difference(
        512 * 8,
        "position_ids, 512 int64",
        "transformers hands its decoder layers the positions that their rotary embeddings were computed from. The layers"
        " do not read them, but a checkpointed one keeps all its arguments until backward. The host hands on the"
        " embeddings alone. (GPT-2's positions are kept by both, for the gradient of wpe.)",
        {"model": ["llama-60m"], "checkpointing": ["block", "reentrant"]},
    ),
    *(
        Difference(
            width * 4,
            f"the divisor of the last norm's update, {width} float32",
            "torch.optim's loop over the parameters holds the divisor of one until that of the next is there, in the variable"
            " `denom`; LibTorch's frees it first. Most is allocated at the next one, the head's.",
            {"model": [model], "optimizer": ["adamw"], "impl": ["loop"]},
        )
        for model, width in (("llama-60m", 512), ("cs336-small", 768))
    ),
]


def explained(case):
    """The differences that a case must have: all of these, and nothing else."""
    return [
        difference
        for difference in EXPLAINED
        if all(case[key] in values for key, values in difference.where.items())
    ]


def yaml_of(case):
    dropout = f", dropout: {case['dropout']}" if case["model"] == "gpt2-small" else ""
    momentum = ", momentum: 0.9" if case["optimizer"] == "sgd" else ""
    return f"""\
model: {{{MODELS[case["model"]]}, context: {case["context"]}{dropout}}}
data: {{batch_size: {case["batch"]}}}
optimizer: {{name: {case["optimizer"]}, impl: {case["impl"]}, weight_decay: 0.01{momentum}}}
precision: {case["precision"]}
attention: {case["attention"]}
checkpointing: {CHECKPOINTING[case["checkpointing"]]}
accumulation: {case["accumulation"]}
schedule: {{wait: 0, warmup: 1, active: 2}}
backend: {{threads: 1}}
plugins: [allocator_tracer]
"""
