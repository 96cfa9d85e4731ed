// SPDX-License-Identifier: Apache-2.0
// What libstrata offers: the library is built with hidden visibility, and only what bears this mark can be
// linked to.
#pragma once

#define STRATA_RUNTIME_EXPORT __attribute__((visibility("default")))
