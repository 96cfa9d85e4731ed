/* SPDX-License-Identifier: Apache-2.0 */
#include "device_copy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { host_to_device = 1 }; /* cudaMemcpyHostToDevice */

struct device_copy {
  void* memory;
  int (*copy)(void*, const void*, size_t, int); /* cudaMemcpy */
  int (*release)(void*);                        /* cudaFree */
};

static int find(void* library, const char* name, void* function) {
  void* const found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

device_copy* device_copy_open(size_t bytes) {
  void* const cudart = dlopen("libcudart.so.13", RTLD_NOW);
  int (*allocate)(void**, size_t);
  device_copy copy = {NULL, NULL, NULL};
  if (cudart == NULL || !find(cudart, "cudaMalloc", &allocate) || !find(cudart, "cudaMemcpy", &copy.copy) ||
      !find(cudart, "cudaFree", &copy.release) || allocate(&copy.memory, bytes) != 0)
    return NULL;
  device_copy* const opened = malloc(sizeof *opened);
  if (opened != NULL) *opened = copy;
  return opened;
}

void device_copy_of(device_copy* copy, const void* batch, size_t bytes) {
  if (copy != NULL) copy->copy(copy->memory, batch, bytes, host_to_device);
}

void device_copy_close(device_copy* copy) {
  if (copy == NULL) return;
  copy->release(copy->memory);
  free(copy);
}
