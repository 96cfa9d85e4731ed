# SPDX-License-Identifier: Apache-2.0
"""Every collective of torch.distributed as rank 0 of 64: its results and its memory."""

import json

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

WORLD = 64
torch.cuda.set_device(0)
store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
dist.init_process_group("nccl", rank=0, world_size=WORLD, store=store)


def tensor(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="cuda")


def shapes(tensors):
    return [list(each.shape) for each in tensors]


def error_of(function, *arguments, **words):
    try:
        function(*arguments, **words)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


result = {"world": dist.get_world_size(), "rank": dist.get_rank()}
x = tensor(6, 5)
for operation in (dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX, dist._make_nccl_premul_sum(0.5)):
    dist.all_reduce(x, op=operation)
dist.all_reduce(tensor(8, dtype=torch.bfloat16), async_op=True).wait()
dist.broadcast(x, src=WORLD - 1)
dist.reduce(x, dst=3)
result["all_reduce"] = list(x.shape)

gathered = tensor(WORLD * 6, 5)
dist.all_gather_into_tensor(gathered, x)
parts = [tensor(6, 5) for _ in range(WORLD)]
dist.all_gather(parts, x)
result["all_gather"] = [list(gathered.shape), shapes(parts[:2])]

scattered = tensor(6, 5)
dist.reduce_scatter_tensor(scattered, gathered)
dist.reduce_scatter(scattered, parts)
result["reduce_scatter"] = list(scattered.shape)

exchanged = tensor(WORLD, 7)
dist.all_to_all_single(exchanged, tensor(WORLD, 7))
uneven = [(rank + 2) % 3 for rank in range(WORLD)]  # its own part has two elements
unequal = tensor(sum(uneven), 7)
dist.all_to_all_single(unequal, tensor(2 * WORLD, 7), output_split_sizes=uneven, input_split_sizes=[2] * WORLD)
dist.all_to_all(parts, [tensor(6, 5) for _ in range(WORLD)])
result["all_to_all"] = [list(exchanged.shape), list(unequal.shape)]

dist.gather(x, parts, dst=0)
dist.scatter(x, parts, src=0)
dist.send(x, dst=5)
dist.recv(x, src=WORLD - 1)
for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, 1), dist.P2POp(dist.irecv, scattered, WORLD - 1)]):
    work.wait()
dist.barrier()

# A group of some ranks, and a mesh of two dimensions.
group = dist.new_group(ranks=[0, 8, 16, 24])
part = tensor(4 * 3)
dist.all_gather_into_tensor(part, tensor(3), group=group)
mesh = init_device_mesh("cuda", (8, 8), mesh_dim_names=("replicate", "shard"))
result["groups"] = [dist.get_world_size(group), mesh.get_coordinate(), mesh["shard"].size()]
sharded = tensor(8 * 2)
dist.all_gather_into_tensor(sharded, tensor(2), group=mesh.get_group("shard"))

before = torch.cuda.memory_allocated()
work = dist.all_reduce(tensor(1 << 20), async_op=True)
work.wait()
torch.cuda.synchronize()
del work
result["kept"] = torch.cuda.memory_allocated() - before

stream = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
    dist.all_reduce(x)
    dist.all_gather_into_tensor(gathered, x)
graph.replay()

result["errors"] = {
    "on the host": error_of(dist.all_reduce, torch.empty(3)),
    "too small": error_of(dist.all_gather_into_tensor, tensor(6 * WORLD - 6, 5), x),
}
result["completed"] = dist.all_reduce(x, async_op=True).is_completed()
print(json.dumps(result))
dist.destroy_process_group()
