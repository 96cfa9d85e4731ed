# SPDX-License-Identifier: Apache-2.0
"""Stanford CS336's transformer with every operation written out, as in the course's assignment. The
peer of tests/peers/transformer computes the same with stock functions, which keep other tensors for
backward. tests/dry_gpu/programs/host_transformer.py uses these layers and frees their temporaries
when C++ does."""

import math

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Linear(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features_out, features_in))

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight)


class Embedding(nn.Module):
    def __init__(self, entries, features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(entries, features))

    def forward(self, tokens):
        return nn.functional.embedding(tokens, self.weight)


class RmsNorm(nn.Module):
    def __init__(self, features, epsilon=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.epsilon = epsilon

    def forward(self, x):
        dtype = x.dtype
        x = x.to(torch.float32)
        inverse_rms = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return (self.weight * (x * inverse_rms)).to(dtype)


class Rotary(nn.Module):
    """Rotates neighbouring features, with a table of cosines and sines that is computed once."""

    def __init__(self, context, features, theta=10_000.0):
        super().__init__()
        with torch.device("cpu"):
            frequencies = theta ** -(torch.arange(0, features, 2, dtype=torch.float32) / features)
            angles = torch.outer(torch.arange(context, dtype=torch.float32), frequencies)
            table = torch.stack([angles.cos(), angles.sin()])
        self.register_buffer("cos_sin", table.to(torch.empty(0)), persistent=False)

    def forward(self, x):
        cos, sin = self.cos_sin[:, : x.size(-2)]
        even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
        turned_even = cos * even - sin * odd
        turned_odd = sin * even + cos * odd
        return torch.stack([turned_even, turned_odd], -1).flatten(-2)


def softmax(x):
    exponentials = torch.exp(x - torch.max(x, dim=-1, keepdim=True)[0])
    return exponentials / torch.sum(exponentials, dim=-1, keepdim=True)


def attend(query, key, value):
    scores = torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(key.size(-1))
    position = torch.arange(query.size(-2), device=query.device)
    scores = torch.where(position[:, None] >= position[None, :], scores, float("-inf"))
    weights = softmax(scores)
    return torch.einsum("...qk,...kd->...qd", weights, value)


class Attention(nn.Module):
    def __init__(self, d_model, heads, positions, is_naive):
        super().__init__()
        self.heads, self.positions, self.is_naive = heads, positions, is_naive
        self.q_proj = Linear(d_model, d_model)
        self.k_proj = Linear(d_model, d_model)
        self.v_proj = Linear(d_model, d_model)
        self.output_proj = Linear(d_model, d_model)

    def split_heads(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        query = self.split_heads(self.q_proj(x))
        key = self.split_heads(self.k_proj(x))
        value = self.split_heads(self.v_proj(x))
        query = self.positions(query)
        key = self.positions(key)
        if self.is_naive:
            attended = attend(query, key, value)
        else:
            attended = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output_proj(attended.transpose(1, 2).flatten(-2))


class SwiGlu(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1 = Linear(d_model, d_ff)
        self.w2 = Linear(d_ff, d_model)
        self.w3 = Linear(d_model, d_ff)

    @staticmethod
    def sigmoid_linear_unit(x):
        return x * torch.sigmoid(x)

    def forward(self, x):
        return self.w2(self.sigmoid_linear_unit(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, d_model, d_ff, heads, positions, is_naive):
        super().__init__()
        self.attn = Attention(d_model, heads, positions, is_naive)
        self.ffn = SwiGlu(d_model, d_ff)
        self.ln1 = RmsNorm(d_model)
        self.ln2 = RmsNorm(d_model)

    def forward(self, x):
        attended = x + self.attn(self.ln1(x))
        return attended + self.ffn(self.ln2(attended))


class Transformer(nn.Module):
    """Weights are uninitialized memory. `use_reentrant` checkpoints each block; None checkpoints
    none."""

    def __init__(self, *, vocab, context, d_model, d_ff, layers, heads, is_naive=True, use_reentrant=None):
        super().__init__()
        self.use_reentrant = use_reentrant
        self.token_embeddings = Embedding(vocab, d_model)
        positions = Rotary(context, d_model // heads)
        self.layers = nn.ModuleList(Block(d_model, d_ff, heads, positions, is_naive) for _ in range(layers))
        self.ln_final = RmsNorm(d_model)
        self.lm_head = Linear(d_model, vocab)

    def forward(self, tokens):
        x = self.token_embeddings(tokens)
        for layer in self.layers:
            x = layer(x) if self.use_reentrant is None else checkpoint(layer, x, use_reentrant=self.use_reentrant)
        return self.lm_head(self.ln_final(x))
