# SPDX-License-Identifier: Apache-2.0
"""The host's `model.init: hash` and `data.source: hash`, for transformers' models and peft's
adapters."""

import numpy
import torch


def integer_hash(count, series):
    x = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(2654435761) + numpy.uint32((series + 1) * 40503 + 12345)
    x = (x ^ (x >> 16)) * numpy.uint32(2246822519)
    x = (x ^ (x >> 13)) * numpy.uint32(3266489917)
    return x ^ (x >> 16)


def hashed_tokens(shape, step, vocab):
    tokens = integer_hash(shape[0] * shape[1], 1000 + step) % numpy.uint32(vocab)
    return torch.from_numpy(tokens.astype(numpy.int64)).view(shape)


def spread_of(name, shape):
    if name.endswith("bias"):
        return 0.0, 0.05
    if len(shape) == 1:
        return 1.0, 0.1
    if any(word in name for word in ("embed", "wte", "wpe")):
        return 0.0, 0.5
    return 0.0, 1.5 / shape[1] ** 0.5


def hashed_weight(name, shape, number):
    offset, scale = spread_of(name, shape)
    values = integer_hash(torch.Size(shape).numel(), number) / 4294967296.0 * 2.0 - 1.0
    return torch.from_numpy(offset + scale * values).view(shape).float()


def host_name(name, series):
    """Return the host's name of a parameter: peft's name, without the inner model's prefix, also
    before there is an adapter."""
    own = name.removeprefix("model.").removeprefix("transformer.")
    if own in series:
        return own
    module, _, last = own.rpartition(".")
    return f"{module}.base_layer.{last}"


def fill_with_hash(model, series):
    """Fill the model. `series` has the numbers of the host's parameters by name. Weights in 4 bits
    stay, because they were filled before they were quantized."""
    modules = dict(model.named_modules())
    for name, parameter in model.named_parameters():
        if parameter.dtype == torch.uint8:
            continue
        own = host_name(name, series)
        # The host keeps matrices of GPT-2's Conv1D transposed.
        turned = name.endswith(".weight") and type(modules[name.removesuffix(".weight")]).__name__ == "Conv1D"
        weight = hashed_weight(own, parameter.shape[::-1] if turned else parameter.shape, series[own])
        with torch.no_grad():
            parameter.copy_(weight.t() if turned else weight)
