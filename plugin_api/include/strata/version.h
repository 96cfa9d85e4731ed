/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI version, and the rule for compatibility.
 *
 * A plugin and a host are compatible if their majors are equal. The minor grows when something is appended: a
 * field at the end of a struct, an extension id, a constant. Each struct that crosses the ABI begins with
 * `struct_size`, set by the side that made it. The reader may access a field only if `STRATA_HAS_FIELD` says
 * that the writer knew it.
 *
 * Why not one symbol per function: a symbol looked up by name carries neither type nor size, so a function
 * whose signature has changed is still called. A struct that contains its size cannot drift unnoticed. */
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
