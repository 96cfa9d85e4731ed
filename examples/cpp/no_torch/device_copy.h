/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a batch on the first CUDA device, where there is one. CUDA's runtime is opened, not linked: the
 * program is the same without. */
#ifndef DEVICE_COPY_H
#define DEVICE_COPY_H

#include <stddef.h>

/* Null: there is no CUDA runtime, or no device. */
typedef struct device_copy device_copy;
device_copy* device_copy_open(size_t bytes);
void device_copy_of(device_copy* copy, const void* batch, size_t bytes);
void device_copy_close(device_copy* copy);

#endif
