// SPDX-License-Identifier: Apache-2.0
// The exported symbols of libstrata: the library is built with hidden visibility, and only symbols with this
// mark can be linked to.
#pragma once

#define STRATA_RUNTIME_EXPORT __attribute__((visibility("default")))
