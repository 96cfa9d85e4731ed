# SPDX-License-Identifier: Apache-2.0
"""A loop of Hugging Face's accelerate, with gradients accumulated over two batches.

    strata exec -- python examples/python/accelerate_loop.py
"""

import accelerate
import torch

import strata_profiler as strata


def main():
    torch.manual_seed(0)
    accelerator = accelerate.Accelerator(gradient_accumulation_steps=2)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 10))
    optimizer = torch.optim.AdamW(model.parameters())
    data = torch.utils.data.TensorDataset(torch.randn(128, 64), torch.randint(0, 10, (128,)))
    model, optimizer, batches = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(data, batch_size=16))
    strata.attach(model, optimizer)  # after prepare: these objects are trained
    for batch, target in batches:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(batch), target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if accelerator.sync_gradients:
            strata.step(loss=loss.item())
            accelerator.print(f"{loss.item():.6f}")


if __name__ == "__main__":
    main()
