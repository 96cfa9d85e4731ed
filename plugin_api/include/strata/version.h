/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI's version, and the rule by which two sides decide whether they fit.
 *
 * A plugin fits a host when the majors are equal. The minor grows when something is appended: a struct's
 * tail, a new extension id, a new constant. Each struct that crosses the ABI opens with `struct_size`, set by
 * the side that made it; the reader touches a field only when `STRATA_HAS_FIELD` says that the writer knew
 * it.
 *
 * Why no symbol per version: hosts that look names up one by one carry no type and no size with them, so a
 * changed signature is called all the same. One struct with sizes inside cannot drift in silence. */
#ifndef STRATA_VERSION_H
#define STRATA_VERSION_H

#include <stddef.h>
#include <stdint.h>

#define STRATA_ABI_MAJOR 1
#define STRATA_ABI_MINOR 0

/* Whether the writer of `*object` knew `field`. `object` must not be null. */
#define STRATA_HAS_FIELD(type, object, field) \
  ((object)->struct_size >= offsetof(type, field) + sizeof((object)->field))

#endif
