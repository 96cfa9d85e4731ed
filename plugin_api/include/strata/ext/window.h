/* SPDX-License-Identifier: Apache-2.0 */
/* strata.window/1: which steps are recorded. Plugins get the window for free: outside it the host calls only
 * run events, and everything for a plugin that said STRATA_DESCRIPTOR_WHOLE_RUN. */
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
  /* [any] 1 while the current step is an active one. */
  int32_t (*active)(const strata_host* host);
  /* [any] First and last step of the window, both included. */
  uint64_t (*first_step)(const strata_host* host);
  uint64_t (*last_step)(const strata_host* host);
} strata_window_service;

#ifdef __cplusplus
}
#endif

#endif
