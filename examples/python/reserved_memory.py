# SPDX-License-Identifier: Apache-2.0
"""Four ways to make PyTorch's allocator reserve more than a program allocates. `strata report --shapes` names each.

    strata exec --dry h100-80gb --clock modelled -- python examples/python/reserved_memory.py streams
    strata exec --dry h100-80gb --clock modelled -- python examples/python/reserved_memory.py streams mended
"""

import sys

import torch

MIB = 1 << 20


def streams(mended):
    """A new stream in each epoch: the allocator keeps freed blocks for the stream they are from."""
    main, one = torch.cuda.current_stream(), torch.cuda.Stream()
    for _ in range(6):
        loader = one if mended else torch.cuda.Stream()
        for _ in range(3):
            with torch.cuda.stream(loader):
                batch = torch.ones(24, MIB, device="cuda").mul_(2)
            main.wait_stream(loader)
            batch.sum()


def frees(mended):
    """record_stream: a freed block waits until the other stream has used it."""
    main, side = torch.cuda.current_stream(), torch.cuda.Stream()
    host, weight = torch.empty(4096, 4096, pin_memory=True), torch.randn(4096, 4096, device="cuda")
    for _ in range(12):
        result = weight @ weight
        side.wait_stream(main)
        with torch.cuda.stream(side):
            host.copy_(result, non_blocking=True)
        if mended:
            main.wait_stream(side)
        else:
            result.record_stream(side)
        del result


def pools(mended):
    """CUDA graphs, each with its own pool."""
    model = torch.nn.Linear(4096, 4096).cuda().requires_grad_(False)
    pool, graphs = None, []
    for rows in (8192, 4096, 2048):
        batch, graph = torch.zeros(rows, 4096, device="cuda"), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            out = model(model(model(batch))).sum()
        pool = graph.pool() if mended else None
        graphs.append((graph, batch, out))


def pieces(mended):
    """Each block is a little larger than the last, so it fits into no free block."""
    for size in sorted(range(12, 60, 2), reverse=mended):
        block = torch.ones(size * MIB // 4, device="cuda")
        del block


if __name__ == "__main__":
    {"streams": streams, "frees": frees, "pools": pools, "pieces": pieces}[sys.argv[1]]("mended" in sys.argv)
    print(torch.cuda.max_memory_reserved())
