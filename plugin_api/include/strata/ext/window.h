/* SPDX-License-Identifier: Apache-2.0 */
/* strata.window/1: which steps are recorded. Plugins need not check the window themselves: outside it the
 * host delivers only run events, except to plugins that declare STRATA_DESCRIPTOR_WHOLE_RUN, which get all
 * events. */
#ifndef STRATA_EXT_WINDOW_H
#define STRATA_EXT_WINDOW_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_WINDOW "strata.window/1"

typedef struct strata_window_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Returns 1 if the current step is active. */
  int32_t (*active)(const strata_host* host);
  /* [any] First and last step of the window, both inclusive. */
  uint64_t (*first_step)(const strata_host* host);
  uint64_t (*last_step)(const strata_host* host);
} strata_window_service;

#ifdef __cplusplus
}
#endif

#endif
