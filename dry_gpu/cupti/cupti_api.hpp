// SPDX-License-Identifier: Apache-2.0
// CUPTI's headers; this library defines their functions.
#pragma once

#include "dry_gpu/cuda_api.hpp"

#pragma GCC visibility push(default)
#include <cupti.h>
#pragma GCC visibility pop
