// SPDX-License-Identifier: Apache-2.0
// The trainer's entry point, opened as `strata` opens it.
#pragma once

#include <dlfcn.h>

#include <stdexcept>

#include "host/trainer/entry.hpp"

namespace strata::trainer {

inline RunFunction run_function() {
  void* library = ::dlopen(STRATA_TRAINER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  return reinterpret_cast<RunFunction>(::dlsym(library, kRunSymbol));
}

}  // namespace strata::trainer
