# SPDX-License-Identifier: Apache-2.0
"""Trainings that run three times: in the host, in Python under torch.profiler, and in Python with a
witness that knows the owner of each storage. A case uses the host's words; `yaml_of` makes the
host's file from it, and train.py reads it directly.
"""

import dataclasses

SMALL = {"layers": 2, "d_model": 64, "d_ff": 176, "heads": 4, "vocab": 512, "context": 32}
PLAIN = {"model": "transformer", "batch": 2, "optimizer": "adamw", "impl": "loop", "onednn": False, "mode": "train"}
IMAGES = {**PLAIN, "model": "resnet18", "batch": 4}
SGD = {"optimizer": "sgd", "momentum": 0.9}
LLAMA = {**PLAIN, "model": "llama"}

STEPS = 3
LOOKED_AT = 1  # the middle step: torch.profiler uses the events before and after it
END_OF_FORWARD = "end of forward"
BEFORE_OPTIMIZER, AFTER_OPTIMIZER = "before the optimizer", "after the optimizer"
# The step's peak is one of the two.
PASSES, OPTIMIZER = "most in forward or backward", "most in the optimizer"
MOMENTS = (END_OF_FORWARD, PASSES, BEFORE_OPTIMIZER, OPTIMIZER, AFTER_OPTIMIZER)

# Storages do not distinguish autograd's working memory (Autograd_Detail) from that of operators
# (Temporary), so they share a row.
ROWS = ("Parameter", "Optimizer_State", "Input", "Activation", "Gradient", "Temporary", "Unknown")


@dataclasses.dataclass(frozen=True)
class Case:
    settings: dict
    moment: str  # the moment at which torch.profiler's failure shows
    failure: str  # in words
    shows: object  # whether it shows: a function of torch.profiler's bytes and the true ones
    is_quick: bool = True


CASES = {
    "resnet18, SGD": Case(
        {**IMAGES, **SGD},
        END_OF_FORWARD,
        "results of convolutions are taken for one tensor, a gradient's: activations are GRADIENT or Unknown",
        lambda said, true: said["Activation"] < 0.01 * true["Activation"]
        and said["Unknown"] > 0.4 * true["Activation"]
        and said["Gradient"] > true["Gradient"] == 0,
    ),
    "resnet18, SGD, oneDNN": Case(
        {**IMAGES, **SGD, "onednn": True},
        PASSES,
        "what oneDNN reorders weights into is Unknown",
        lambda said, true: said["Unknown"] > 0.1 * true["Temporary"],
        is_quick=False,
    ),
    "transformer, AdamW foreach": Case(
        {**PLAIN, "impl": "foreach"},
        OPTIMIZER,
        "square roots, as large as all parameters, are Unknown",
        lambda said, true: 0.99 * true["Parameter"] < said["Unknown"] < 1.01 * true["Parameter"],
    ),
    "transformer, AdamW loop": Case(
        PLAIN,
        OPTIMIZER,
        "square roots are PARAMETER, divisors ACTIVATION",
        lambda said, true: said["Parameter"] > 1.1 * true["Parameter"] and said["Activation"] > true["Activation"] == 0,
    ),
    "resnet18, forward only": Case(
        {**IMAGES, **SGD, "mode": "forward"},
        PASSES,
        "what a convolution unfolds its input into is Unknown",
        lambda said, true: 0.5 * true["Temporary"] < said["Unknown"] < true["Temporary"],
        is_quick=False,
    ),
    "llama, GaLore": Case(
        {**LLAMA, "optimizer": "galore_adamw", "rank": 8},
        BEFORE_OPTIMIZER,
        "projectors are PARAMETER, a third more than there is",
        lambda said, true: said["Parameter"] > 1.3 * true["Parameter"]
        and said["Optimizer_State"] < 0.8 * true["Optimizer_State"],
        is_quick=False,
    ),
    "llama, AdamW foreach": Case(
        {**LLAMA, "impl": "foreach"},
        OPTIMIZER,
        "square roots, as large as all parameters, are Unknown",
        lambda said, true: 0.99 * true["Parameter"] < said["Unknown"] < 1.01 * true["Parameter"],
        is_quick=False,
    ),
}


def misattributed(said, true):
    """Return the bytes that are in the wrong row, or in none."""
    changes = [said[row] - true[row] for row in ROWS]
    return max(sum(change for change in changes if change > 0), -sum(change for change in changes if change < 0))


@dataclasses.dataclass(frozen=True)
class Difference:
    """A tensor that Python's program holds and the host does not."""

    row: str
    bytes: int
    tensors: str
    why: str
    moments: tuple
    where: dict  # its cases: those that have one of these values for each of these keys


TRAINED = {"model": ["transformer", "llama"], "mode": ["train"]}
EXPLAINED = [
    Difference(
        "Optimizer_State",
        21 * 4,
        "`step` of each of the 21 parameters, a float32",
        "torch.optim's AdamW counts steps in a tensor for each parameter. The host counts them in a number.",
        (END_OF_FORWARD, PASSES, BEFORE_OPTIMIZER, OPTIMIZER, AFTER_OPTIMIZER),
        {**TRAINED, "optimizer": ["adamw"]},
    ),
    Difference(
        "Activation",
        2 * 8,
        "in each of 2 layers the number that scores are scaled by, a float64",
        "Python's operators make a tensor of a number, which autograd keeps. C++ has the same operators for numbers.",
        (END_OF_FORWARD, PASSES),
        TRAINED,
    ),
    Difference(
        "Parameter",
        8 * 4,
        "original_inv_freq of rotary_emb, 8 float32",
        "transformers keeps the inverse frequencies twice, those it computes with and those it began with. The host keeps one.",
        (END_OF_FORWARD, PASSES, BEFORE_OPTIMIZER, OPTIMIZER, AFTER_OPTIMIZER),
        {"model": ["llama"]},
    ),
    Difference(
        "Temporary",
        64 * 4,
        "the divisor of a norm's update, 64 float32",
        "torch.optim's loop over the parameters holds the divisor of one until that of the next is there, in the variable"
        " `denom`; the host's frees it first. Most is allocated at the next one, the head's.",
        (OPTIMIZER,),
        {**TRAINED, "optimizer": ["adamw"], "impl": ["loop"]},
    ),
    Difference(
        "Temporary",
        2 * 64 * 8 * 4 + 8 + 4,
        "the projected gradient of a matrix, its divisor, and the number that is added to that, as float64 and as float32",
        "galore_torch holds the head's update and divisor, in the variables `norm_grad` and `denom`, until those of the next"
        " parameter are there, and most is allocated at that one. The host frees them first: most is allocated at the head.",
        (OPTIMIZER,),
        {"optimizer": ["galore_adamw"]},
    ),
]


def explained(settings, moment):
    """Return the differences that must exist; there may be no others."""
    return [
        difference
        for difference in EXPLAINED
        if moment in difference.moments
        and all(settings.get(key) in values for key, values in difference.where.items())
    ]


def model_of(settings):
    if settings["model"] == "resnet18":
        return "name: resnet18, image_size: 32, classes: 10"
    sizes = ", ".join(f"{key}: {value}" for key, value in SMALL.items())
    return f"name: {settings['model']}, size: custom, {sizes}"


def optimizer_of(settings):
    own = [f"{key}: {settings[key]}" for key in ("momentum", "rank") if key in settings]
    return ", ".join([f"name: {settings['optimizer']}, impl: {settings['impl']}, weight_decay: 0.01", *own])


def yaml_of(settings):
    return f"""\
model: {{{model_of(settings)}}}
data: {{batch_size: {settings["batch"]}}}
mode: {settings["mode"]}
optimizer: {{{optimizer_of(settings)}}}
schedule: {{wait: 0, warmup: {LOOKED_AT}, active: {STEPS - LOOKED_AT}}}
backend: {{threads: 1, onednn: {str(settings["onednn"]).lower()}}}
plugins: [allocator_tracer]
"""
