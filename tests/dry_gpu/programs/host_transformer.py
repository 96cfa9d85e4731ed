# SPDX-License-Identifier: Apache-2.0
"""The host's transformer (host/trainer/models), operator for operator, for a comparison to the
byte: the same tensors are alive at each time, and they were allocated in the same order. Its layers
are those of tests/peers/memory/course_model.py; functions are replaced here where C++ frees at
another time than Python."""

import json
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).parents[2] / "peers/memory"))
import course_model  # noqa: E402


class Expression:
    """In C++ the temporaries of an expression live until it ends and die in reverse order; in
    Python each dies at once.

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


def normalize(norm, x):
    upcast = x.to(torch.float)
    with Expression() as keep:
        inverse_rms = torch.rsqrt(keep(keep(keep(upcast.pow(2)).mean([-1], keepdim=True)) + norm.epsilon))
    with Expression() as keep:
        return (norm.weight * keep(upcast * inverse_rms)).to(x.dtype)


def rotate(rotary, x):
    tokens = x.size(-2)
    cos = rotary.cos_sin.select(0, 0).narrow(0, 0, tokens)
    sin = rotary.cos_sin.select(0, 1).narrow(0, 0, tokens)
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
    del weights, visible, position, scores  # in reverse order, as in C++
    return attended


def feed_forward(layer, x):
    right = layer.w3(x)  # the compiler chooses which operand is evaluated first: GCC takes the right one
    return layer.w2(layer.sigmoid_linear_unit(layer.w1(x)) * right)


course_model.RmsNorm.forward = normalize
course_model.Rotary.forward = rotate
course_model.SwiGlu.forward = feed_forward
course_model.attend = attend


class AdamW:
    """LibTorch's C++ AdamW: it creates each parameter's state at its first update.
    torch.optim.AdamW creates all states before, and so fills other holes: the same bytes are
    allocated, different ones reserved."""

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


def main(shape, batch, steps):
    torch.cuda.memory._record_memory_history(stacks="all", context=None)
    with torch.device("cuda"):
        model = course_model.Transformer(**shape)
    optimizer = AdamW(model.parameters())
    peaks = []
    for _ in range(steps):
        torch.cuda.reset_peak_memory_stats()
        optimizer.zero_grad()
        micro_batch(model, batch, shape)
        optimizer.step()
        peaks.append([torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()])
    (trace,) = torch.cuda.memory._snapshot()["device_traces"]
    events = [[event["action"], event["size"]] for event in trace if event["action"] != "free_completed"]
    return {"parameters": sum(p.numel() for p in model.parameters()), "peaks": peaks, "events": events}


print(json.dumps(main(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
