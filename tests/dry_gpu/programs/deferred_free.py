# SPDX-License-Identifier: Apache-2.0
"""A block that another stream still uses is freed when that stream's work is done; and the time
that a product takes."""

import hashlib
import json

import torch

MIB = 1 << 20


def block():
    return torch.empty(256 * MIB, dtype=torch.uint8, device="cuda")


torch.cuda.memory._record_memory_history(stacks="all", context=None)
side = torch.cuda.Stream()
a = block()
torch.cuda.synchronize()
with torch.cuda.stream(side):
    b = a + 1
a.record_stream(side)
freed = a.data_ptr()
del a
c = block()
result = {"at_once": c.data_ptr() == freed, "reserved": torch.cuda.memory_reserved() // MIB}
torch.cuda.synchronize()
d = block()
result["after_waiting"] = d.data_ptr() == freed

m = torch.empty(4096, 4096, dtype=torch.bfloat16, device="cuda")
m @ m
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
torch.empty(1 << 30, dtype=torch.uint8, device="cuda").zero_()  # keeps the stream busy at the first event
begin.record()
m @ m
end.record()
result["ready"] = end.query()
end.synchronize()
result["product_ms"] = begin.elapsed_time(end)
trace = torch.cuda.memory._snapshot()["device_traces"][0]
events = json.dumps([[event["action"], event["addr"], event["size"]] for event in trace]).encode()
result |= {"events": len(trace), "digest": hashlib.sha256(events).hexdigest()}
print(json.dumps(result))
