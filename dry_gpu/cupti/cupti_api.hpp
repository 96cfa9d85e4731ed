// SPDX-License-Identifier: Apache-2.0
// CUPTI's headers, whose functions this library defines.
#pragma once

#include "dry_gpu/cuda_api.hpp"

#pragma GCC visibility push(default)
#include <cupti.h>
#pragma GCC visibility pop
