# SPDX-License-Identifier: Apache-2.0
"""convolutions.py [benchmark] [deterministic] [v7]: convolutions forward and backward; prints the
memory that each left, and its peak."""

import json
import os
import sys

import torch
import torch.nn.functional as F
from dry_counts import counts

torch.backends.cudnn.benchmark = "benchmark" in sys.argv
torch.backends.cudnn.deterministic = "deterministic" in sys.argv
if "v7" in sys.argv:
    os.environ["TORCH_CUDNN_V8_API_DISABLED"] = "1"  # cuDNN's older interface
# A backward pass's thread keeps its last tensors a little longer than the pass.
torch.autograd.set_multithreading_enabled(False)


def measured(work):
    """Return the bytes that `work` left, its peak, the number of library computations, and of those
    with an unknown workspace."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before, counted = torch.cuda.memory_allocated(), counts()
    kept = work()
    left, most = torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before
    now = counts()
    calls = [now[name] - counted[name] for name in ("library_calls", "unknown_workspaces")]
    return kept, [left, most, *calls]


def both(convolution, x, w, **options):
    y, forward = measured(lambda: convolution(x, w, **options))
    g = torch.empty_like(y)
    gradients, backward = measured(lambda: torch.autograd.grad(y, (x, w), g))
    shapes = [list(y.shape), *(list(gradient.shape) for gradient in gradients)]
    last = y.dim() == 4 and y.is_contiguous(memory_format=torch.channels_last)
    return {"forward": forward, "backward": backward, "shapes": shapes, "channels_last": last}


def leaf(*shape, dtype=torch.float32, memory_format=torch.contiguous_format):
    tensor = torch.empty(*shape, dtype=dtype, device="cuda").to(memory_format=memory_format)
    return tensor.requires_grad_()


if __name__ == "__main__":
    image, window = (8, 16, 64, 64), (32, 16, 3, 3)
    result = {
        "plain": both(F.conv2d, leaf(*image), leaf(*window), padding=1),
        "half": both(F.conv2d, leaf(*image, dtype=torch.half), leaf(*window, dtype=torch.half), padding=1),
        "bfloat16, channels last": both(
            F.conv2d,
            leaf(*image, dtype=torch.bfloat16, memory_format=torch.channels_last),
            leaf(*window, dtype=torch.bfloat16, memory_format=torch.channels_last),
            padding=1,
        ),
        "strided, dilated, grouped": both(
            F.conv2d, leaf(*image), leaf(32, 4, 3, 3), stride=2, padding=2, dilation=2, groups=4
        ),
        "1d": both(F.conv1d, leaf(8, 16, 4096), leaf(32, 16, 5), padding=2),
        "3d": both(F.conv3d, leaf(2, 8, 16, 32, 32), leaf(16, 8, 3, 3, 3), padding=1),
        "transposed": both(F.conv_transpose2d, leaf(8, 32, 32, 32), leaf(32, 16, 2, 2), stride=2),
    }
    print(json.dumps(result))
