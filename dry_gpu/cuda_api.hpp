// SPDX-License-Identifier: Apache-2.0
// CUDA's own declarations. Their definitions are this library's exports; no other symbol is visible.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
