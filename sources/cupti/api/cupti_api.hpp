// SPDX-License-Identifier: Apache-2.0
// CUPTI's headers. Nothing is linked: its functions are looked up at run time (functions.hpp).
#pragma once

#include <cupti.h>
