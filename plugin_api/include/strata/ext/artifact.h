/* SPDX-License-Identifier: Apache-2.0 */
/* strata.artifact/1: files next to the run store. The host chooses their paths, so that ranks and plugins
 * never collide. */
#ifndef STRATA_EXT_ARTIFACT_H
#define STRATA_EXT_ARTIFACT_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_ARTIFACT "strata.artifact/1"

typedef struct strata_artifact strata_artifact;

typedef struct strata_artifact_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Opens <run directory>/rank<k>/<plugin id>/<name> under a temporary name. `name` must not contain
   * '/'. Returns null on failure, with the reason in the log. */
  strata_artifact* (*open)(const strata_host* host, const char* name, const char* media_type);
  /* [any] One thread at a time per artifact. Returns 0 on success. After a failure, which is logged once, all
   * further writes fail. Each write is a system call: buffer small pieces. */
  int32_t (*write)(strata_artifact* artifact, const void* data, size_t bytes);
  /* [any] Renames the file atomically to its final name and lists it in the manifest. Returns 0 on success.
   * Frees `artifact`. */
  int32_t (*commit)(strata_artifact* artifact);
  /* [any] Removes the file. Frees `artifact`. */
  void (*discard)(strata_artifact* artifact);
} strata_artifact_service;

#ifdef __cplusplus
}
#endif

#endif
