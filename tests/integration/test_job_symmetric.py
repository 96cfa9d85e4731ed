# SPDX-License-Identifier: Apache-2.0
"""Memory that ranks map into each other's address space, as asynchronous tensor parallelism does, when the peers are absent."""

import json
import sys

# Two buffers are made, because the first also loads kernels and opens a communicator.
PROGRAM = """
import json, os, torch, torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem
local = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
dist.init_process_group("nccl", device_id=torch.device("cuda", local))
group = dist.new_group(list(range(dist.get_rank() // 8 * 8, dist.get_rank() // 8 * 8 + 8)))
symm_mem.enable_symm_mem_for_group(group.group_name)

def share():
    shared = symm_mem.empty(8 << 20, dtype=torch.uint8, device="cuda")
    handle = symm_mem.rendezvous(shared, group=group)
    peer = handle.get_buffer((handle.rank + 1) % 8, (1 << 20,), torch.uint8)
    peer.copy_(shared[: 1 << 20])
    handle.barrier()
    return shared, handle, peer

first = share()
before = torch.cuda.mem_get_info()[0]
second = share()
taken = before - torch.cuda.mem_get_info()[0]
shard = torch.randn(256, 1024, device="cuda", dtype=torch.bfloat16)
weight = torch.randn(1024, 512, device="cuda", dtype=torch.bfloat16)
_, (product,) = torch.ops.symm_mem.fused_all_gather_matmul(shard, [weight], gather_dim=0, group_name=group.group_name)
parts = torch.ops.symm_mem.fused_matmul_reduce_scatter(product, weight.T.contiguous(), "sum", scatter_dim=0, group_name=group.group_name)
print(json.dumps([first[1].rank, first[1].world_size, taken, list(product.shape), list(parts.shape)]))
dist.destroy_process_group()
"""


def test_peers_memory_takes_none_of_this_card(workspace):
    workspace.write("symmetric.py", PROGRAM)
    done = workspace.strata("exec", "--dry", "h100-80gb", "--out", "out", "--world", 64, "--rank", 11, "--", sys.executable, "symmetric.py")
    assert done.returncode == 0, done.stderr
    rank, world, taken, product, parts = json.loads(done.stdout)
    assert (rank, world, product, parts) == (3, 8, [2048, 512], [256, 1024])
    # Its own 8 MiB with the signal pad, in pages of 2 MiB; not those of the seven peers.
    assert 8 << 20 <= taken <= 12 << 20
