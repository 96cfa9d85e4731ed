# SPDX-License-Identifier: Apache-2.0
"""A small GPT, trained like nanoGPT. One line is Strata's; the rest runs unchanged without it.

    strata exec --dry a100-40gb -- python examples/python/nanogpt.py --device cuda
"""

import argparse
import math

import torch
from torch import nn
from torch.nn import functional as F

import strata_profiler as strata


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.attn(self.ln_1(x)).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        x = x + self.proj(mixed)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, context, layers, heads, width):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=4)
    settings = parser.parse_args()
    torch.manual_seed(0)
    context, vocabulary = 64, 256
    text = torch.randint(0, vocabulary, (10_000,))
    model = GPT(vocabulary, context, layers=4, heads=4, width=128).to(settings.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=settings.device != "cpu")
    strata.attach(model, optimizer)  # <- the one line
    for step in range(settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * 0.5 * (1 + math.cos(math.pi * step / settings.steps))
        at = torch.randint(0, len(text) - context - 1, (8,))
        tokens = torch.stack([text[i : i + context] for i in at]).to(settings.device)
        targets = torch.stack([text[i + 1 : i + 1 + context] for i in at]).to(settings.device)
        loss = model(tokens, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
