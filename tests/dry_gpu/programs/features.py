# SPDX-License-Identifier: Apache-2.0
"""The memory of single PyTorch features beyond what was allocated before: peaks in bytes."""

import json
import sys

import torch
import torch.nn.functional as F
from measure import measure
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def attention_inputs(dtype):
    return [torch.randn(4, 16, 2048, 64, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3)]


def attention(backend):
    q, k, v = attention_inputs(torch.bfloat16)

    def forward_and_backward():
        with sdpa_kernel(backend):
            F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()
        return ()

    return measure(forward_and_backward)["peak"]


def chosen_attention(dtype):
    q, k, v = attention_inputs(dtype)
    return F.scaled_dot_product_attention(q, k, v, is_causal=dtype != torch.float32).grad_fn.name()


def optimizer_step(**options):
    model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(8)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), **options)
    model(torch.randn(8, 1024, device="cuda")).sum().backward()
    optimizer.step()  # its state is allocated here
    return measure(lambda: optimizer.step() or ())["peak"]


def feed_forwards(with_checkpoints):
    blocks = [nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024)) for _ in range(8)]
    blocks = nn.ModuleList(blocks).cuda()
    x = torch.randn(4096, 1024, device="cuda", requires_grad=True)

    def forward_and_backward():
        h = x
        for block in blocks:
            h = checkpoint(block, h, use_reentrant=False) if with_checkpoints else block(h)
        h.sum().backward()
        return ()

    return measure(forward_and_backward)["peak"]


def scaled_gradients():
    model = nn.Linear(512, 512).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    scaler = torch.amp.GradScaler()
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(torch.randn(8, 512, device="cuda")).sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    return len(optimizer.state)


# Allocate cuBLAS's workspaces of this thread and of backward's before anything is measured.
warm = torch.ones(8, 8, device="cuda", requires_grad=True)
(warm @ warm).sum().backward()
nn.Linear(8, 8).cuda()(warm).sum().backward()

facts = {
    "chosen": {str(dtype).removeprefix("torch."): chosen_attention(dtype) for dtype in (torch.bfloat16, torch.float32)},
}
if "choice" not in sys.argv:
    backends = ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "MATH")
    facts |= {
        "attention": {name: attention(getattr(SDPBackend, name)) for name in backends},
        "adamw": {
            "foreach": optimizer_step(foreach=True),
            "loop": optimizer_step(foreach=False),
            "fused": optimizer_step(fused=True),
            "capturable": optimizer_step(capturable=True),
        },
        "feed_forwards": [feed_forwards(False), feed_forwards(True)],
        "scaled": scaled_gradients(),
    }
print(json.dumps(facts))
