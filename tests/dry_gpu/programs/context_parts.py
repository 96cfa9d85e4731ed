# SPDX-License-Identifier: Apache-2.0
"""The device memory that is used outside the caching allocator after the first use of each library:
the rows of tests/data/card-*/context.json."""

import json
import os

import torch
import torch.distributed as distributed
import torch.nn.functional as F

DEVICE = torch.device("cuda:0")
rows = []


def after(name):
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    rows.append({"after": name, "outside_bytes": total - free - torch.cuda.memory_reserved()})


torch.cuda.init()
after("init")
x = torch.zeros(1, device=DEVICE)
after("one tensor")
x.add_(1)
after("one kernel")
a = torch.randn(256, 256, device=DEVICE)
after("randn")
a @ a
after("cublas fp32")
b = a.bfloat16()
b @ b
after("cublas bf16")
F.linear(b, b, b[0])
after("cublaslt")
images = torch.randn(4, 8, 32, 32, device=DEVICE)
kernels = torch.randn(8, 8, 3, 3, device=DEVICE)
F.conv2d(images, kernels)
after("cudnn conv")
F.conv2d(images.bfloat16(), kernels.bfloat16())
after("cudnn conv bf16")
torch.linalg.svd(a[:64, :64])
after("cusolver svd")
torch.linalg.eigh(a[:64, :64] + a[:64, :64].T)
after("eigh")
torch.fft.rfft(a)
after("cufft")
torch.nn.LSTM(64, 64).to(DEVICE)(torch.randn(8, 4, 64, device=DEVICE))
after("cudnn lstm")
torch.randperm(1000, device=DEVICE)
after("randperm")
torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], size=(2, 2), device=DEVICE) @ torch.ones(2, 2, device=DEVICE)
after("cusparse")
q = torch.randn(2, 8, 256, 64, device=DEVICE, dtype=torch.bfloat16)
with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
    F.scaled_dot_product_attention(q, q, q)
after("flash attention")
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
distributed.init_process_group("nccl", device_id=DEVICE)
after("nccl init")
distributed.all_reduce(x)
after("nccl allreduce 1 rank")
second = distributed.new_group([0], backend="nccl")
distributed.all_reduce(x, group=second)
after("second communicator")
distributed.destroy_process_group()
print(json.dumps({"steps": rows}))
