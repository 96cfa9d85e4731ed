# SPDX-License-Identifier: Apache-2.0
"""Runs whose configuration determines which shapes they have. Written before the rules.

Shapes in `shows` must be found. Shapes in `may` are not decided by the configuration; the reason is
given. No other shape may be found.
"""

import dataclasses

CARD = "rtx-4090"

# Shapes of any training step of a language model whose vocabulary is large compared to its layers.
STEP = {
    "constant_band", "repeating_step", "first_step_growth", "forward_triangle", "layer_stripes", "logits_slab", "softmax_spike",
    "zero_grad_cliff", "backward_start_spike", "logits_cliff", "lm_head_gradient", "embedding_gradient",
}
LOGITS = {"logits_slab", "softmax_spike", "backward_start_spike", "logits_cliff", "lm_head_gradient"}

# The caching allocator's free memory depends on the sizes of all earlier blocks.
PIECES = {"fragmentation"}


def model(name, **fields):
    sizes = {"layers": 6, "d_model": 256, "d_ff": 1024, "heads": 4, "vocab": 16384, "context": 256, **fields}
    listed = ", ".join(f"{key}: {value}" for key, value in sizes.items())
    return f"model={{name: {name}, size: custom, {listed}}}"


GPT2 = model("gpt2")
LLAMA = model("llama")
SMALL_VOCABULARY = model("gpt2", vocab=256)
MATRICES = model("llama", layers=2, d_model=512, d_ff=1536, vocab=1024, context=64)
ON_CPU = model("transformer", layers=4, d_model=64, d_ff=256, vocab=4096, context=64)


@dataclasses.dataclass
class Run:
    words: list
    shows: set
    may: set = dataclasses.field(default_factory=set)
    dry: bool = True
    environment: dict = dataclasses.field(default_factory=dict)


RUNS = {
    "foreach": Run([GPT2, "optimizer.impl=foreach"], STEP | {"optimizer_plateau"}, PIECES),
    "fused_bf16": Run([LLAMA, "optimizer.impl=fused", "precision=bf16_autocast"], STEP | {"autocast_copies", "flat_optimizer"}, PIECES),
    "loop": Run(
        [model("qwen", kv_heads=2), "optimizer.impl=loop", "zero_grad.at=before_backward"], STEP | {"division_flagpole"}, PIECES),
    "pure_bf16": Run([LLAMA, "optimizer.impl=foreach", "precision=bf16"], STEP | {"optimizer_plateau"}, PIECES),
    "accumulation": Run([GPT2, "optimizer={name: adam, impl: fused}", "accumulation=2"], STEP | {"flat_optimizer"}, PIECES),
    # The inputs that a checkpointed layer keeps may be too small to be seen beside the logits.
    "checkpointed": Run(
        [GPT2, "optimizer.impl=foreach", "precision=bf16_autocast", "checkpointing=block"],
        STEP - {"forward_triangle", "layer_stripes"} | {"autocast_copies", "recomputation_waves", "optimizer_plateau"},
        PIECES | {"forward_triangle", "layer_stripes"}),
    "reentrant": Run(
        [LLAMA, "optimizer={name: adam, impl: loop}", "precision=fp16_autocast", "checkpointing={every: 1, reentrant: true}"],
        STEP - {"forward_triangle", "layer_stripes"} | {"autocast_copies", "recomputation_waves", "division_flagpole"},
        PIECES | {"forward_triangle", "layer_stripes"}),
    # Every second layer keeps everything it saves; the others keep only their input.
    "every_second": Run(
        [LLAMA, "optimizer.impl=fused", "checkpointing={every: 2}"],
        STEP - {"layer_stripes"} | {"recomputation_waves", "flat_optimizer"}, PIECES),
    # Only one layer of six is recomputed, so there are no waves.
    "one_runs_again": Run(
        [LLAMA, "optimizer.impl=fused", "checkpointing={every: 6}"], STEP | {"flat_optimizer"}, PIECES),
    # Attention's softmax is large, but it is not the loss's.
    "small_vocabulary": Run(
        [SMALL_VOCABULARY, "attention=naive", "optimizer={name: sgd, impl: loop}", "zero_grad.set_to_none=false"],
        {"repeating_step", "forward_triangle", "layer_stripes", "constant_band"}, PIECES | {"first_step_growth"}),
    "resnet": Run(
        ["model={name: resnet18, image_size: 64, classes: 10}", "data.batch_size=16", "attention=naive",
         "optimizer={name: adam, impl: foreach}"],
        {"constant_band", "repeating_step", "first_step_growth", "forward_triangle", "zero_grad_cliff", "optimizer_plateau"},
        PIECES),
    "distilbert": Run(
        [model("distilbert", vocab=16384), "optimizer={name: adam, impl: loop}", "precision=bf16_autocast"],
        STEP - LOGITS | {"autocast_copies", "division_flagpole"}, PIECES),
    "forward_only": Run([GPT2, "mode=forward"], {"constant_band", "repeating_step", "logits_slab", "softmax_spike"},
                        PIECES | {"first_step_growth"}),
    "forward_grad": Run(
        [GPT2, "mode=forward_grad"],
        {"constant_band", "repeating_step", "forward_triangle", "layer_stripes", "logits_slab", "softmax_spike"},
        PIECES | {"first_step_growth"}),
    # A copy is freed when its operator ends, so there are never two at once.
    "no_cache": Run(
        [GPT2, "mode=forward", "precision=bf16_autocast", "autocast_cache=false"],
        {"constant_band", "repeating_step", "logits_slab", "softmax_spike"}, PIECES | {"first_step_growth"}),
    "galore_each_step": Run(
        [MATRICES, "optimizer={name: galore_adamw, rank: 128, update_proj_gap: 1}"],
        {"projector_spike", "constant_band", "repeating_step", "first_step_growth", "zero_grad_cliff", "embedding_gradient"},
        PIECES | LOGITS | {"division_flagpole"}),
    "galore_second_step": Run(
        [MATRICES, "optimizer={name: galore_adamw, rank: 128, update_proj_gap: 2}", "schedule={wait: 0, warmup: 1, active: 3}"],
        {"projector_spike", "constant_band", "first_step_growth", "zero_grad_cliff", "embedding_gradient"},
        PIECES | LOGITS | {"division_flagpole"}),
    "galore_rarely": Run(
        [MATRICES, "optimizer={name: galore_adamw, rank: 128, update_proj_gap: 200}"],
        {"constant_band", "repeating_step", "first_step_growth", "zero_grad_cliff", "embedding_gradient"},
        PIECES | LOGITS | {"division_flagpole"}),
    "rsvd_each_step": Run(
        [MATRICES, "optimizer={name: rsvd_adam, rank_fraction: 0.5, update_proj_gap: 1}"],
        {"projector_spike", "constant_band", "repeating_step", "first_step_growth", "zero_grad_cliff", "embedding_gradient"},
        PIECES | LOGITS | {"division_flagpole"}),
    # Muon uses the Newton-Schulz iteration: matrix products, no decomposition.
    "muon": Run(
        [MATRICES, "optimizer={name: muon}"],
        {"constant_band", "repeating_step", "first_step_growth", "zero_grad_cliff", "embedding_gradient"}, PIECES | LOGITS),
    "per_layer": Run(
        [LLAMA, "optimizer={name: adamw, impl: loop, per_layer: true}"], STEP - {"zero_grad_cliff"}, PIECES),
    # The window's only two steps differ: the first one creates the optimizer's state.
    "from_the_first": Run(
        [GPT2, "optimizer.impl=fused", "schedule={wait: 0, warmup: 0, active: 2}"],
        STEP - {"repeating_step"} | {"flat_optimizer"}, PIECES),
    # Two layers whose attention scores are far larger than the parameters.
    "wide_attention": Run(
        [model("gpt2", layers=2, d_model=32, d_ff=64, vocab=256, context=1024), "attention=naive",
         "optimizer={name: adam, impl: foreach}"],
        {"repeating_step"}, PIECES | {"first_step_growth"}),
    "many_images": Run(
        ["model={name: resnet18, image_size: 224, classes: 10}", "data.batch_size=256", "attention=naive",
         "optimizer={name: sgd, momentum: 0.9, impl: fused}"],
        {"repeating_step", "forward_triangle"}, PIECES | {"first_step_growth", "zero_grad_cliff", "flat_optimizer"}),
    "wide_forward": Run(
        [model("gpt2", layers=2, d_model=64, d_ff=64, vocab=256, context=1024), "attention=naive", "mode=forward"],
        {"repeating_step"}, PIECES | {"first_step_growth"}),
    "cpu_loop": Run([ON_CPU, "optimizer={name: adamw, impl: loop}"], STEP | {"division_flagpole"}, dry=False),
    # The state exists before the first step, and gradients are freed when it ends. Only one step is
    # shown, so nothing repeats.
    "cpu_step_end": Run(
        [ON_CPU, "optimizer={name: adamw, impl: foreach, init_state: dummy}", "zero_grad.at=step_end",
         "schedule={wait: 0, warmup: 1, active: 1}"],
        STEP - {"first_step_growth", "repeating_step"} | {"optimizer_plateau"}, dry=False),
    "cpu_sgd_step_end": Run(
        [ON_CPU, "optimizer={name: sgd, impl: foreach, weight_decay: 0.0}", "zero_grad.at=step_end"],
        STEP - {"first_step_growth"}, dry=False),
    "cpu_forward": Run(
        [ON_CPU, "mode=forward"], {"constant_band", "repeating_step", "logits_slab", "softmax_spike"}, dry=False),
}

BASE = """\
data: {source: synthetic, batch_size: 4}
attention: sdpa
schedule: {wait: 0, warmup: 1, active: 2}
backend: {threads: 1}
plugins: [allocator_tracer]
"""
