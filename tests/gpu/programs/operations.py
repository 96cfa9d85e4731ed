# SPDX-License-Identifier: Apache-2.0
"""operations.py NAME: the allocations of libraries, streams, graphs and compilers."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from training import DEVICE, main, train


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10000, 512)
        self.layers = nn.LSTM(512, 512, 2, batch_first=True, dropout=0.1, bidirectional=True)
        self.head = nn.Linear(1024, 10000)

    def forward(self, tokens):
        return self.head(self.layers(self.embedding(tokens))[0])


def lstm():
    model = Recurrent().to(DEVICE)
    tokens = torch.randint(0, 10000, (32, 64), device=DEVICE)
    optimizer = torch.optim.Adam(model.parameters())
    train(
        model,
        (tokens, tokens),
        lambda model, inputs, targets: F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()),
        optimizer,
    )


def galore():
    """Project gradients onto their first 128 left singular vectors, and back."""
    weights = [nn.Parameter(torch.randn(768, 2048, device=DEVICE)) for _ in range(4)]
    projections = {}
    optimizer = torch.optim.AdamW(weights)
    for _ in range(3):
        for index, weight in enumerate(weights):
            weight.grad = torch.randn_like(weight)
            left, values, right = torch.linalg.svd(weight.grad.float(), full_matrices=False)  # noqa: F841, alive as in programs
            projections[index] = left[:, :128].clone()
            reduced = projections[index].T @ weight.grad
            weight.grad = projections[index] @ reduced
        optimizer.step()


def fft():
    for shape in ((32, 4096), (8, 1000003), (4, 512, 512), (2, 1024, 1023)):
        x = torch.randn(*shape, device=DEVICE, requires_grad=True)
        torch.fft.rfft(x).abs().sum().backward()
        torch.fft.fft2(x.detach().reshape(shape[0], -1, shape[-1]))
    # The sound has no variable, because stft frees it as soon as it has a padded copy.
    torch.stft(torch.randn(4, 160000, device=DEVICE), 400, 160, window=torch.hann_window(400, device=DEVICE), return_complex=True)


def graphs():
    model = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)).to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)
    inputs = torch.randn(64, 512, device=DEVICE)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            optimizer.zero_grad()
            model(inputs).pow(2).mean().backward()
            optimizer.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad()
    with torch.cuda.graph(graph):
        model(inputs).pow(2).mean().backward()
        optimizer.step()
    for _ in range(3):
        graph.replay()
    layers = nn.Sequential(nn.Linear(512, 512), nn.ReLU()).to(DEVICE)
    graphed = torch.cuda.make_graphed_callables(layers, (torch.randn(8, 512, device=DEVICE),))
    graphed(torch.randn(8, 512, device=DEVICE, requires_grad=True)).sum().backward()


def streams():
    """Free blocks that another stream still uses."""
    others = [torch.cuda.Stream() for _ in range(3)]
    kept = []
    for index in range(30):
        with torch.cuda.stream(others[index % 3]):
            a = torch.randn(512, 512 + 64 * index, device=DEVICE)
            b = a @ a.T
            a.record_stream(others[(index + 1) % 3])
            kept.append(b)
        if index % 7 == 6:
            kept.clear()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()


def compiled():
    layers = nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.LayerNorm(2048), nn.Linear(2048, 512))
    model = torch.compile(layers.to(DEVICE))
    optimizer = torch.optim.AdamW(model.parameters())
    inputs = torch.randn(64, 512, device=DEVICE)
    for _ in range(3):
        model(inputs).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def flex():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    attention = torch.compile(flex_attention)
    q = torch.randn(2, 8, 512, 64, device=DEVICE, requires_grad=True)
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 512, 512, device=DEVICE)
    attention(q, q, q, block_mask=mask).sum().backward()


def ddp():
    import torch.distributed as distributed

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    distributed.init_process_group("nccl", device_id=torch.device("cuda:0"))
    layers = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024)).to(DEVICE)
    model = nn.parallel.DistributedDataParallel(layers)
    optimizer = torch.optim.AdamW(model.parameters())
    inputs = torch.randn(32, 1024, device=DEVICE)
    for _ in range(4):
        model(inputs).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main({program.__name__: program for program in (lstm, galore, fft, graphs, streams, compiled, flex, ddp)})
