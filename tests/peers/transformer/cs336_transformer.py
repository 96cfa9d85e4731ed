# SPDX-License-Identifier: Apache-2.0
"""The CS336 transformer in plain PyTorch, written independently of the C++ one: it uses stock
functions where the C++ one writes operators out, so the two agree only if both are right."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Sizes:
    layers: int
    d_model: int
    d_ff: int
    heads: int
    vocab: int
    context: int
    rope_theta: float = 10_000.0
    norm_epsilon: float = 1e-5


def linear(features_in: int, features_out: int) -> nn.Linear:
    layer = nn.Linear(features_in, features_out, bias=False, device="meta").to_empty(device="cpu")
    deviation = (2 / (features_in + features_out)) ** 0.5
    nn.init.trunc_normal_(layer.weight, std=deviation, a=-3 * deviation, b=3 * deviation)
    return layer


def rotate(x: torch.Tensor, theta: float) -> torch.Tensor:
    """Rotate neighbouring features of [..., tokens, features] as complex numbers."""
    tokens, features = x.shape[-2:]
    frequencies = theta ** -(torch.arange(0, features, 2, dtype=torch.float64) / features)
    angles = torch.outer(torch.arange(tokens, dtype=torch.float64), frequencies)
    turns = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], features // 2, 2))
    return torch.view_as_real(pairs * turns).flatten(-2)


class Attention(nn.Module):
    def __init__(self, sizes: Sizes):
        super().__init__()
        self.sizes = sizes
        self.q_proj = linear(sizes.d_model, sizes.d_model)
        self.k_proj = linear(sizes.d_model, sizes.d_model)
        self.v_proj = linear(sizes.d_model, sizes.d_model)
        self.output_proj = linear(sizes.d_model, sizes.d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, d_model = x.shape
        q, k, v = (
            projection(x).view(batch, tokens, self.sizes.heads, -1).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        q, k = rotate(q, self.sizes.rope_theta), rotate(k, self.sizes.rope_theta)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.output_proj(attended.transpose(1, 2).reshape(batch, tokens, d_model))


class FeedForward(nn.Module):
    def __init__(self, sizes: Sizes):
        super().__init__()
        self.w1 = linear(sizes.d_model, sizes.d_ff)
        self.w2 = linear(sizes.d_ff, sizes.d_model)
        self.w3 = linear(sizes.d_model, sizes.d_ff)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, sizes: Sizes):
        super().__init__()
        self.attn = Attention(sizes)
        self.ffn = FeedForward(sizes)
        self.ln1 = nn.RMSNorm(sizes.d_model, eps=sizes.norm_epsilon)
        self.ln2 = nn.RMSNorm(sizes.d_model, eps=sizes.norm_epsilon)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln1(x))
        return x + self.ffn(self.ln2(x))


class Transformer(nn.Module):
    def __init__(self, sizes: Sizes):
        super().__init__()
        self.token_embeddings = nn.Embedding(sizes.vocab, sizes.d_model, device="meta").to_empty(device="cpu")
        nn.init.trunc_normal_(self.token_embeddings.weight, std=1.0, a=-3.0, b=3.0)
        self.layers = nn.ModuleList(Block(sizes) for _ in range(sizes.layers))
        self.ln_final = nn.RMSNorm(sizes.d_model, eps=sizes.norm_epsilon)
        self.lm_head = linear(sizes.d_model, sizes.vocab)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.token_embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_final(x))
