# SPDX-License-Identifier: Apache-2.0
"""Free device memory before an NCCL communicator is made, while it exists, and after it is
destroyed."""

import json

import torch
import torch.distributed as dist

torch.cuda.set_device(0)
x = torch.ones(1, device="cuda")


def free():
    return torch.cuda.mem_get_info()[0]


store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
told = [free()]
dist.init_process_group("nccl", rank=0, world_size=2, store=store)
dist.all_reduce(x)
told.append(free())
dist.destroy_process_group()
told.append(free())
print(json.dumps({"free": told}))
