# SPDX-License-Identifier: Apache-2.0
"""A loop like torchtitan's: a class for the training, marked parts of a step, checkpoints.

    strata exec --dry h100-80gb -- python examples/python/titan_loop.py --device cuda
"""

import argparse
import contextlib

import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

import strata_profiler as strata


class Trainer:
    def __init__(self, device, width=128, layers=4):
        torch.manual_seed(0)
        blocks = (torch.nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True) for _ in range(layers))
        self.device = torch.device(device)
        self.model = torch.nn.Sequential(
            torch.nn.Embedding(256, width), *map(checkpoint_wrapper, blocks), torch.nn.Linear(width, 256)
        ).to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=self.device.type == "cuda")
        strata.attach(self.model, self.optimizer)

    def mixed_precision(self):
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else contextlib.nullcontext()

    def batches(self, steps):
        for _ in range(steps):
            with strata.phase("data"):
                tokens = torch.randint(0, 256, (4, 65)).to(self.device)
            yield tokens[:, :-1], tokens[:, 1:]

    @strata.phase("forward")
    def forward(self, tokens, labels):
        with self.mixed_precision():
            logits = self.model(tokens)
        return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), labels.flatten())

    def train_step(self, tokens, labels):
        self.optimizer.zero_grad()
        loss = self.forward(tokens, labels)
        loss.backward()
        with strata.phase("clip"):
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss

    def train(self, steps):
        for tokens, labels in self.batches(steps):
            loss = self.train_step(tokens, labels).item()
            strata.step(loss=loss, tokens=tokens.numel())
            print(f"{loss:.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    Trainer(parser.parse_args().device).train(3)
