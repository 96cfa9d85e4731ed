# SPDX-License-Identifier: Apache-2.0
"""Writes the results of Python optimizers for recorded gradients, which
tests/trainer/optimizer_peer_test.cpp compares with.

    python tests/peers/optimizers/make_fixture.py tests/data/optimizers.pt

The file is a pickled dictionary: `weights` before the first step, `gradients` [step][name] as int8
that count sixty-fourths, and `runs`. A run has its `options` as in the YAML, the names of its
`parameters`, the `weights` after the last step, and for each step and parameter the `distances`
from its start. `clipped` has the first step's gradients after clipping to a norm of `clip_norm`,
`maps` bitsandbytes' two maps.
"""

import argparse
import math
import warnings
from pathlib import Path

import bitsandbytes.functional
import galore_torch
import torch

STEPS = 12
BLOCK = 256
# Tall, square and wide matrices of a block, an embedding, a vector; and one large enough for 8
# bits, whose last block is incomplete.
SHAPES = {
    "embed_tokens.weight": (20, 16),
    "layers.0.self_attn.q_proj.weight": (16, 16),
    "layers.0.mlp.up_proj.weight": (36, 16),
    "layers.0.mlp.down_proj.weight": (16, 36),
    "layers.0.self_attn.q_proj.bias": (16,),
    "lm_head.weight": (65, 64),
}
LARGE = "lm_head.weight"


class Lion(torch.optim.Optimizer):
    """The same as lion-pytorch's update_fn."""

    def __init__(self, parameters, lr, betas, weight_decay):
        super().__init__(parameters, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                average = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(average.clone().mul_(beta1).add(p.grad, alpha=1 - beta1).sign_(), alpha=-group["lr"])
                average.mul_(beta2).add_(p.grad, alpha=1 - beta2)


class RsvdAdam(torch.optim.Optimizer):
    """Adam in the basis of the left vectors of torch.svd_lowrank, which draws each matrix's sketch
    from a seed of 0."""

    def __init__(self, parameters, lr, betas, eps, weight_decay, rank_fraction, update_proj_gap):
        super().__init__(parameters, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self.rank_fraction, self.gap = rank_fraction, update_proj_gap

    def basis(self, state, gradient):
        rank = max(1, int(self.rank_fraction * min(gradient.shape)))
        with torch.random.fork_rng(devices=[]):
            if "draws" in state:
                torch.set_rng_state(state["draws"])
            else:
                torch.manual_seed(0)
            left, _, _ = torch.svd_lowrank(gradient, q=min(rank + 4, *gradient.shape), niter=1)
            state["draws"] = torch.get_rng_state()
        return left[:, :rank]

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                state = self.state[p]
                state["step"] = state.get("step", 0) + 1
                gradient = p.grad + group["weight_decay"] * p
                if p.dim() == 2:
                    if (state["step"] - 1) % self.gap == 0:
                        state["basis"] = self.basis(state, gradient)
                    gradient = state["basis"].T @ gradient
                average = state.setdefault("exp_avg", torch.zeros_like(gradient))
                square = state.setdefault("exp_avg_sq", torch.zeros_like(gradient))
                average.mul_(beta1).add_(gradient, alpha=1 - beta1)
                square.mul_(beta2).add_(gradient**2, alpha=1 - beta2)
                update = average / (1 - beta1 ** state["step"])
                update = update / ((square / (1 - beta2 ** state["step"])).sqrt() + group["eps"])
                p -= group["lr"] * (state["basis"] @ update if p.dim() == 2 else update)


class Adam8bit(torch.optim.Optimizer):
    """bitsandbytes' formulas (backends/cpu/ops.py) and its maps, with the nearest code as in its
    CUDA kernel; its CPU kernel looks codes up in a coarser table."""

    def __init__(self, parameters, lr, betas, eps, weight_decay):
        super().__init__(parameters, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self.maps = [bitsandbytes.functional.create_dynamic_map(signed=signed) for signed in (True, False)]

    def quantized(self, values, codes):
        padded = torch.nn.functional.pad(values.flatten(), (0, -values.numel() % BLOCK)).view(-1, BLOCK)
        largest = padded.abs().amax(1, keepdim=True)
        shares = padded / largest.clamp_min(torch.finfo(torch.float32).tiny)
        nearest = torch.bucketize(shares, (codes[1:] + codes[:-1]) / 2)
        return (codes[nearest] * largest).flatten()[: values.numel()].view_as(values)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                state = self.state[p]
                state["step"] = state.get("step", 0) + 1
                average = state.get("average", torch.zeros_like(p)).mul_(beta1).add_(p.grad, alpha=1 - beta1)
                square = state.get("square", torch.zeros_like(p)).mul_(beta2)
                square.addcmul_(p.grad, p.grad, value=1 - beta2)
                denominator = (square.sqrt() / math.sqrt(1 - beta2 ** state["step"])).add_(group["eps"])
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.addcdiv_(average, denominator, value=-group["lr"] / (1 - beta1 ** state["step"]))
                if p.numel() >= 4096:
                    average, square = self.quantized(average, self.maps[0]), self.quantized(square, self.maps[1])
                state["average"], state["square"] = average, square


def is_projection(name: str) -> bool:
    return name.endswith(".weight") and ("attn" in name or "mlp" in name)


def split(parameters: dict) -> tuple[list, list]:
    projections = [p for name, p in parameters.items() if is_projection(name)]
    return projections, [p for name, p in parameters.items() if not is_projection(name)]


class Together:
    """Several optimizers, stepped one after the other."""

    def __init__(self, *optimizers):
        self.optimizers = optimizers

    def step(self):
        for optimizer in self.optimizers:
            optimizer.step()


def make_galore(parameters, options):
    projections, others = split(parameters)
    projected = {key: options[key] for key in ("rank", "update_proj_gap", "scale", "proj_type")}
    groups = [{"params": others}, {"params": projections, **projected}]
    return galore_torch.GaLoreAdamW(groups, **adam_options(options), no_deprecation_warning=True)


def make_muon(parameters, options):
    projections, others = split(parameters)
    muon = torch.optim.Muon(
        projections, lr=options["lr"], weight_decay=options["weight_decay"], momentum=options["momentum"]
    )
    return Together(muon, torch.optim.AdamW(others, **adam_options(options)))


def adam_options(options: dict) -> dict:
    return dict(
        lr=options["lr"],
        betas=(options["beta1"], options["beta2"]),
        eps=options["epsilon"],
        weight_decay=options["weight_decay"],
    )


ADAM = dict(lr=1e-2, weight_decay=0.1, beta1=0.9, beta2=0.95, epsilon=1e-6)
GALORE = dict(name="galore_adamw", **ADAM, rank=6, update_proj_gap=200, scale=0.5)
RSVD = dict(name="rsvd_adam", **ADAM, rank_fraction=0.3, update_proj_gap=200)
MAKERS = {
    "sgd": lambda p, o: torch.optim.SGD(
        p.values(), lr=o["lr"], momentum=o["momentum"], weight_decay=o["weight_decay"]
    ),
    "adam": lambda p, o: torch.optim.Adam(p.values(), **adam_options(o)),
    "adamw": lambda p, o: torch.optim.AdamW(p.values(), **adam_options(o)),
    "lion": lambda p, o: Lion(
        p.values(), lr=o["lr"], betas=(o["beta1"], o["beta2"]), weight_decay=o["weight_decay"]
    ),
    "adafactor": lambda p, o: torch.optim.Adafactor(p.values(), lr=o["lr"], weight_decay=o["weight_decay"]),
    "muon": make_muon,
    "adam8bit": lambda p, o: Adam8bit(p.values(), **adam_options(o)),
    "galore_adamw": make_galore,
    "rsvd_adam": lambda p, o: RsvdAdam(
        p.values(), **adam_options(o), rank_fraction=o["rank_fraction"], update_proj_gap=o["update_proj_gap"]
    ),
}
RUNS = {
    "sgd": dict(name="sgd", lr=0.05, momentum=0.9, weight_decay=0.01),
    "adam": dict(name="adam", **ADAM),
    "adamw": dict(name="adamw", **ADAM),
    "lion": dict(name="lion", lr=3e-3, beta1=0.9, beta2=0.99, weight_decay=0.1),
    "adafactor": dict(name="adafactor", lr=0.3, weight_decay=0.01),
    "muon": dict(name="muon", **ADAM, momentum=0.9),
    "adam8bit": dict(name="adam8bit", **ADAM),
    "galore_std": dict(**GALORE, proj_type="std"),
    "galore_reverse_std": dict(**GALORE, proj_type="reverse_std"),
    "galore_right": dict(**GALORE, proj_type="right"),
    "galore_left": dict(**GALORE, proj_type="left"),
    "galore_full": dict(**GALORE, proj_type="full"),
    "rsvd": dict(**RSVD),
    # Without a running mean of the gradient nothing depends on the signs of the singular vectors,
    # which another LAPACK or processor may choose differently in a later basis.
    "galore_renewed": {**GALORE, "proj_type": "std", "update_proj_gap": 5, "beta1": 0.0},
    "rsvd_renewed": {**RSVD, "update_proj_gap": 5, "beta1": 0.0},
}


def run(options: dict, weights: dict, gradients: list) -> dict:
    small = options["name"] != "adam8bit"
    parameters = {
        name: torch.nn.Parameter(tensor.clone()) for name, tensor in weights.items() if not (small and name == LARGE)
    }
    optimizer = MAKERS[options["name"]](parameters, options)
    distances = []
    for step_gradients in gradients:
        for name, parameter in parameters.items():
            parameter.grad = step_gradients[name].float() / 64
        optimizer.step()
        distances.append({name: (p - weights[name]).norm().item() for name, p in parameters.items()})
    return {
        "options": options,
        "weights": {name: parameter.detach().clone() for name, parameter in parameters.items()},
        "distances": distances,
    }


def clipped(gradients: dict, norm: float) -> dict:
    parameters = {name: torch.nn.Parameter(torch.zeros(shape)) for name, shape in SHAPES.items() if name != LARGE}
    for name, parameter in parameters.items():
        parameter.grad = gradients[name].float() / 64
    torch.nn.utils.clip_grad_norm_(parameters.values(), norm)
    return {name: parameter.grad for name, parameter in parameters.items()}


def fixture(seed: int) -> dict:
    warnings.simplefilter("ignore")
    generator = torch.Generator().manual_seed(seed)
    weights = {name: torch.randn(shape, generator=generator) for name, shape in SHAPES.items()}
    gradients = [
        {
            name: (torch.randn(shape, generator=generator) * 40).round().clamp(-127, 127).to(torch.int8)
            for name, shape in SHAPES.items()
        }
        for _ in range(STEPS)
    ]
    return {
        "weights": weights,
        "gradients": gradients,
        "runs": {name: run(options, weights, gradients) for name, options in RUNS.items()},
        "maps": {
            "signed": bitsandbytes.functional.create_dynamic_map(signed=True),
            "unsigned": bitsandbytes.functional.create_dynamic_map(signed=False),
        },
        "clip_norm": 2.0,
        "clipped": clipped(gradients[0], 2.0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=8)
    arguments = parser.parse_args()
    torch.save(fixture(arguments.seed), arguments.file)


if __name__ == "__main__":
    main()
