# SPDX-License-Identifier: Apache-2.0
"""A decoder of CS336's shape, written as usual: RMSNorm in fp32, explicit attention, SwiGLU."""

import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        dtype = x.dtype
        x = x.float()
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        return (self.weight * x * scale).to(dtype)


class Block(nn.Module):
    def __init__(self, d_model, d_ff, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.feed_forward_norm = RMSNorm(d_model), RMSNorm(d_model)
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.w1, self.w3 = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.w2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x, mask):
        h = self.attention_norm(x)
        batch, tokens, d_model = h.shape
        q, k, v = (
            projection(h).view(batch, tokens, self.heads, -1).transpose(1, 2)
            for projection in (self.q, self.k, self.v)
        )
        scores = q @ k.transpose(-2, -1) / (d_model // self.heads) ** 0.5
        scores = torch.where(mask, scores, float("-inf"))
        probabilities = torch.softmax(scores, -1)
        x = x + self.o((probabilities @ v).transpose(1, 2).reshape(batch, tokens, d_model))
        h = self.feed_forward_norm(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Transformer(nn.Module):
    def __init__(self, d_model, d_ff, layers, heads, vocab):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(Block(d_model, d_ff, heads) for _ in range(layers))
        self.norm = RMSNorm(d_model)
        self.head = nn.Linear(d_model, vocab, bias=False)

    def forward(self, tokens, mask):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def train(model, batch, context, vocab, steps, on_step):
    """Steps of AdamW, one parameter after the other, under bf16 autocast; `on_step` is called after
    each step."""
    mask = torch.tril(torch.ones(context, context, dtype=torch.bool, device="cuda"))
    tokens = torch.zeros(batch, context, dtype=torch.long, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(steps):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            logits = model(tokens, mask)
            loss = F.cross_entropy(logits.view(-1, vocab).float(), tokens.view(-1))
        del logits
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        on_step()
