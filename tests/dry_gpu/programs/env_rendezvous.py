# SPDX-License-Identifier: Apache-2.0
"""The actions of a training script that torchrun starts; it does not know of the dry GPU."""

import json
import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
model = torch.nn.Linear(1024, 1024, device="cuda")
fully_shard(model)
model(torch.randn(2, 1024, device="cuda")).sum().backward()
print(
    json.dumps(
        {
            "rank": dist.get_rank(),
            "world": dist.get_world_size(),
            "local_world": int(os.environ["LOCAL_WORLD_SIZE"]),
            "words": sys.argv[1:],
            "main": __name__,
            "shard": list(model.weight.to_local().shape),
            "gradient": list(model.weight.grad.to_local().shape),
        }
    )
)
dist.destroy_process_group()
