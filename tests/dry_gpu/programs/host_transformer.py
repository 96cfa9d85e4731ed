"""The host's transformer (host/trainer/models) operator for operator, to be compared with it to the byte: what is
alive when, and in which order it was allocated, is the same."""

import json
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Expression:
    """What an expression makes on its way lives until it ends in C++, and dies last first; in Python each dies at once.

    with Expression() as keep:
        result = rsqrt(keep(mean(keep(x.pow(2)))))
    """

    def __enter__(self):
        self.kept = []
        return self.keep

    def keep(self, tensor):
        self.kept.append(tensor)
        return tensor

    def __exit__(self, *_):
        while self.kept:
            self.kept.pop()


class Linear(nn.Module):
    def __init__(self, features_in, features_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features_out, features_in))

    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight)


class RmsNorm(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x):
        upcast = x.to(torch.float)
        with Expression() as keep:
            inverse_rms = torch.rsqrt(keep(keep(keep(upcast.pow(2)).mean([-1], keepdim=True)) + 1e-5))
        with Expression() as keep:
            return (self.weight * keep(upcast * inverse_rms)).to(x.dtype)


class Rotary(nn.Module):
    def __init__(self, context, features, theta=10_000.0):
        super().__init__()
        with torch.device("cpu"):
            frequencies = theta ** -(torch.arange(0, features, 2, dtype=torch.float) / features)
            angles = torch.outer(torch.arange(context, dtype=torch.float), frequencies)
            table = torch.stack([angles.cos(), angles.sin()])
        self.register_buffer("cos_sin", table.to("cuda"))

    def forward(self, x):
        tokens = x.size(-2)
        cos = self.cos_sin.select(0, 0).narrow(0, 0, tokens)
        sin = self.cos_sin.select(0, 1).narrow(0, 0, tokens)
        pairs = x.unflatten(-1, (-1, 2))
        even, odd = pairs.select(-1, 0), pairs.select(-1, 1)
        with Expression() as keep:
            right = keep(sin * odd)
            first = keep(keep(cos * even) - right)
            right = keep(cos * odd)
            second = keep(keep(sin * even) + right)
            del right
            return torch.stack([first, second], -1).flatten(-2)


def softmax(x):
    with Expression() as keep:
        exponentials = torch.exp(keep(x - keep(torch.max(x, -1, keepdim=True))[0]))
    with Expression() as keep:
        return exponentials / keep(exponentials.sum(-1, keepdim=True))


def attend(query, key, value):
    with Expression() as keep:
        scores = keep(torch.einsum("...qd,...kd->...qk", query, key)) / key.size(-1) ** 0.5
    position = torch.arange(query.size(-2), device=query.device)
    visible = position.unsqueeze(1) >= position.unsqueeze(0)
    scores = torch.where(visible, scores, -float("inf"))
    weights = softmax(scores)
    attended = torch.einsum("...qk,...kd->...qd", weights, value)
    del weights, visible, position, scores  # the last first, as C++ does
    return attended


class Attention(nn.Module):
    def __init__(self, d_model, heads, positions):
        super().__init__()
        self.heads, self.positions = heads, positions
        self.q, self.k, self.v, self.o = (Linear(d_model, d_model) for _ in range(4))

    def split_heads(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        query = self.split_heads(self.q(x))
        key = self.split_heads(self.k(x))
        value = self.split_heads(self.v(x))
        query = self.positions(query)
        key = self.positions(key)
        attended = attend(query, key, value)
        return self.o(attended.transpose(1, 2).flatten(-2))


class SwiGlu(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w1, self.w2, self.w3 = Linear(d_model, d_ff), Linear(d_ff, d_model), Linear(d_model, d_ff)

    @staticmethod
    def sigmoid_linear_unit(x):
        return x * torch.sigmoid(x)

    def forward(self, x):
        right = self.w3(x)  # which operand comes first is the compiler's choice: GCC takes the right one
        return self.w2(self.sigmoid_linear_unit(self.w1(x)) * right)


class Block(nn.Module):
    def __init__(self, d_model, d_ff, heads, positions):
        super().__init__()
        self.attention = Attention(d_model, heads, positions)
        self.feed_forward = SwiGlu(d_model, d_ff)
        self.attention_norm = RmsNorm(d_model)
        self.feed_forward_norm = RmsNorm(d_model)

    def forward(self, x):
        attended = x + self.attention(self.attention_norm(x))
        return attended + self.feed_forward(self.feed_forward_norm(attended))


class Transformer(nn.Module):
    def __init__(self, model):
        super().__init__()
        d_model, d_ff, heads = model["d_model"], model["d_ff"], model["heads"]
        self.embedding = nn.Parameter(torch.empty(model["vocab"], d_model))
        positions = Rotary(model["context"], d_model // heads)
        self.blocks = nn.ModuleList(Block(d_model, d_ff, heads, positions) for _ in range(model["layers"]))
        self.norm = RmsNorm(d_model)
        self.head = Linear(d_model, model["vocab"])

    def forward(self, tokens):
        x = torch.embedding(self.embedding, tokens)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.head(x)


class AdamW:
    """As LibTorch's C++ has it: each parameter's state is made when its first update comes. torch.optim.AdamW makes all
    of it before, so that it fills other holes: the same bytes allocated, others reserved."""

    def __init__(self, parameters):
        self.parameters, self.state, self.steps = list(parameters), {}, 0

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self, lr=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.01):
        self.steps += 1
        for parameter in self.parameters:
            if parameter not in self.state:
                self.state[parameter] = torch.zeros_like(parameter), torch.zeros_like(parameter)
            mean, square = self.state[parameter]
            parameter.mul_(1 - lr * weight_decay)
            mean.mul_(beta1).add_(parameter.grad, alpha=1 - beta1)
            square.mul_(beta2).addcmul_(parameter.grad, parameter.grad, value=1 - beta2)
            divisor = (square.sqrt() / (1 - beta2**self.steps) ** 0.5).add_(epsilon)
            parameter.addcdiv_(mean, divisor, value=-lr / (1 - beta1**self.steps))
            del divisor


def micro_batch(model, batch, shape):
    tokens = torch.zeros(batch, shape["context"] + 1, dtype=torch.long, device="cpu")
    inputs = tokens[:, :-1].contiguous().to("cuda")
    targets = tokens[:, 1:].contiguous().to("cuda")
    logits = model(inputs)
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
    del logits
    loss.item()
    loss.backward()
    del loss


def main(model, batch, steps):
    torch.cuda.memory._record_memory_history(stacks="all", context=None)
    with torch.device("cuda"):
        transformer = Transformer(model)
    optimizer = AdamW(transformer.parameters())
    peaks = []
    for _ in range(steps):
        torch.cuda.reset_peak_memory_stats()
        optimizer.zero_grad()
        micro_batch(transformer, batch, model)
        optimizer.step()
        peaks.append([torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()])
    (trace,) = torch.cuda.memory._snapshot()["device_traces"]
    events = [[event["action"], event["size"]] for event in trace if event["action"] != "free_completed"]
    return {"parameters": sum(p.numel() for p in transformer.parameters()), "peaks": peaks, "events": events}


print(json.dumps(main(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
