// SPDX-License-Identifier: Apache-2.0
// CUDA's own declarations, whose definitions here are what this library exports. Nothing else of it is
// visible.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
