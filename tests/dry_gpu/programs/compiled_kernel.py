# SPDX-License-Identifier: Apache-2.0
"""A product of complex numbers, whose kernel torch compiles at run time, and the place that NVRTC's
builtins came from."""

import json

import torch

torch.ones(8, device="cuda", dtype=torch.complex64).prod()
with open("/proc/self/maps") as maps:
    builtins = {line.split()[-1] for line in maps if "libnvrtc-builtins" in line}
print(json.dumps({"builtins": sorted(builtins)}))
