#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Threads that allocate and free on the CPU at the same time, in TorchScript, which does not hold
Python's lock.

    allocating_threads.py THREADS ADDITIONS     # in total; prints seconds and processor seconds as
        JSON
"""

import json
import sys
import threading
import time
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402


@torch.jit.script
def add(additions: int):
    x = torch.ones([256])
    for _ in range(additions):
        x = x + 1.0
    return x


def main():
    count, additions = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    add(10)
    threads = [threading.Thread(target=add, args=(additions // count,)) for _ in range(count)]
    wall, processor = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - processor}))


if __name__ == "__main__":
    main()
