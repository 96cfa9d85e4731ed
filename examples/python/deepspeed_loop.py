# SPDX-License-Identifier: Apache-2.0
"""A loop with DeepSpeed's engine, started by its launcher.

    strata exec --dry a100-40gb -- deepspeed --num_gpus 1 examples/python/deepspeed_loop.py
"""

import deepspeed
import torch

import strata_profiler as strata

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "gradient_accumulation_steps": 2,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3, "torch_adam": True}},  # DeepSpeed's own is compiled with nvcc
    "zero_optimization": {"stage": 1, "reduce_bucket_size": 20_000},  # no tensor names its memory, so it is Unknown
}


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10))
    engine, optimizer, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=CONFIG)
    strata.attach(engine.module, optimizer)  # after initialize: these objects are trained
    for _ in range(6):
        batch, target = torch.randn(16, 64, device=engine.device), torch.randint(0, 10, (16,), device=engine.device)
        loss = torch.nn.functional.cross_entropy(engine(batch), target)
        engine.backward(loss)
        is_last = engine.is_gradient_accumulation_boundary()
        engine.step()
        if is_last:
            strata.step(loss=loss.item())
    engine.destroy()


if __name__ == "__main__":
    main()
