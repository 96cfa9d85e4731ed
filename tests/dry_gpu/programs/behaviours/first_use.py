# SPDX-License-Identifier: Apache-2.0
"""The first use of a device in a process that has imported only torch."""

import sys

import torch
from behaviour import perform


def the_first_use_of_a_device_needs_no_triton():
    torch.rand(2, device="cuda")
    assert "triton" not in sys.modules


if __name__ == "__main__":
    perform(globals())
