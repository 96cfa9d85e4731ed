#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program as rank 0 of many, whose other ranks are not there: on a dry GPU, NCCL waits for nobody.

    strata exec --dry h100-80gb -- python one_rank.py 64 train.py --batch 4
    strata exec --dry h100-80gb:8 -- python one_rank.py 64 -m package.train

PyTorch's env:// rendezvous waits until every rank has come to rank 0's store. The workers of torchrun do not: they go to a store
that their agent keeps. This is that agent, in the program's own process; the program needs no change.
"""

import os
import runpy
import sys

import torch
from torch.distributed import TCPStore


def main():
    words = sys.argv[1:]
    if len(words) < 2 or not words[0].isdigit() or int(words[0]) < 1:
        sys.exit(__doc__)
    ranks, words = int(words[0]), words[1:]
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    devices = max(torch.cuda.device_count(), 1)
    os.environ.update(
        RANK="0",
        LOCAL_RANK="0",
        GROUP_RANK="0",
        WORLD_SIZE=str(ranks),
        LOCAL_WORLD_SIZE=str(min(ranks, devices)),
        MASTER_ADDR="127.0.0.1",
        MASTER_PORT=str(store.port),
        TORCHELASTIC_USE_AGENT_STORE="True",
    )
    if words[0] == "-m" and len(words) > 1:
        sys.argv = words[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path.insert(0, os.path.dirname(os.path.abspath(words[0])))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
