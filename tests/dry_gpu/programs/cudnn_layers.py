# SPDX-License-Identifier: Apache-2.0
"""Work other than convolutions that LibTorch leaves to cuDNN: attention, recurrent networks, CTC,
grids, batch norm."""

import json

import torch
import torch.nn.functional as F
from convolutions import measured
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

DEVICE = torch.device("cuda")


def attention():
    q, k, v = (torch.empty(4, 16, 2048, 64, dtype=torch.bfloat16, device=DEVICE, requires_grad=True) for _ in range(3))
    choice = torch._fused_sdp_choice(q, k, v)
    g = torch.empty(4, 16, 2048, 64, dtype=torch.bfloat16, device=DEVICE)
    start = torch.cuda.memory_allocated() - sum(t.numel() * t.element_size() for t in (q, k, v, g))
    y, forward = measured(lambda: F.scaled_dot_product_attention(q, k, v))
    gradients, backward = measured(lambda: torch.autograd.grad(y, (q, k, v), g))
    of_all = torch.cuda.max_memory_allocated() - start - g.numel() * g.element_size()
    return {"choice": choice, "forward": forward, "backward": backward, "most": of_all}


def recurrent(make, packed=False):
    network, built = measured(make)
    features = network.input_size
    x = torch.empty(32, 16, features, device=DEVICE, requires_grad=True)
    if packed:
        x = pack_padded_sequence(x, torch.tensor([32] * 8 + [16] * 8))
    (y, state), forward = measured(lambda: network(x))
    out = y.data if packed else y
    _, backward = measured(lambda: out.backward(torch.empty_like(out)))
    shapes = [list(out.shape), *(list(part.shape) for part in (state if isinstance(state, tuple) else (state,)))]
    flat = {parameter.untyped_storage().data_ptr() for parameter in network.parameters()}
    offsets = [parameter.storage_offset() for parameter in network.parameters()]
    parameters = sum(parameter.numel() for parameter in network.parameters())
    return {
        "built": built,
        "forward": forward,
        "backward": backward,
        "shapes": shapes,
        "buffers": len(flat),
        "offsets": offsets,
        "sizes": [parameter.numel() for parameter in network.parameters()],
        "parameters": parameters,
    }


def connectionist_loss():
    scores = torch.empty(50, 16, 20, device=DEVICE, requires_grad=True)
    targets = torch.ones(16 * 10, dtype=torch.int32)
    lengths = torch.full((16,), 50, dtype=torch.int32), torch.full((16,), 10, dtype=torch.int32)
    loss, forward = measured(lambda: F.ctc_loss(scores.log_softmax(2), targets, *lengths, reduction="sum"))
    _, backward = measured(lambda: torch.autograd.grad(loss, scores))
    return {"forward": forward, "backward": backward, "grad": loss.grad_fn.next_functions[0][0].name()}


def grid():
    x = torch.empty(4, 8, 32, 32, device=DEVICE, requires_grad=True)
    theta = torch.empty(4, 2, 3, device=DEVICE, requires_grad=True)
    points, generated = measured(lambda: torch.cudnn_affine_grid_generator(theta, 4, 8, 32, 32))
    y, forward = measured(lambda: F.grid_sample(x, points, align_corners=True))
    _, backward = measured(lambda: torch.autograd.grad(y, (x, theta), torch.empty_like(y)))
    return {"generated": generated, "forward": forward, "backward": backward, "grad": y.grad_fn.name()}


def batch_norm():
    norm = nn.BatchNorm2d(64, device=DEVICE)
    x = torch.empty(8, 64, 56, 56, device=DEVICE, requires_grad=True)
    y, forward = measured(lambda: norm(x))
    _, backward = measured(lambda: torch.autograd.grad(y, (x, norm.weight, norm.bias), torch.empty_like(y)))
    return {"forward": forward, "backward": backward, "grad": y.grad_fn.name()}


if __name__ == "__main__":
    lstm = {"device": DEVICE}
    print(
        json.dumps(
            {
                "attention": attention(),
                "lstm": recurrent(lambda: nn.LSTM(64, 128, **lstm)),
                "lstm, two layers, both directions": recurrent(lambda: nn.LSTM(64, 96, 2, bidirectional=True, **lstm)),
                "lstm, projected": recurrent(lambda: nn.LSTM(64, 128, proj_size=32, **lstm)),
                "lstm, dropout": recurrent(lambda: nn.LSTM(64, 128, 2, dropout=0.5, **lstm)),
                "gru": recurrent(lambda: nn.GRU(64, 128, **lstm)),
                "gru, packed": recurrent(lambda: nn.GRU(64, 128, **lstm), packed=True),
                "tanh, no bias": recurrent(lambda: nn.RNN(64, 128, bias=False, **lstm)),
                "ctc": connectionist_loss(),
                "grid": grid(),
                "batch norm": batch_norm(),
            }
        )
    )
