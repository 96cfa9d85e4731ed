// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/api/functions.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace strata::cupti {

Functions find_functions(void* library) {
  Functions found;
  std::string missing;
#define STRATA_CUPTI_FIND(name) found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name));
#define STRATA_CUPTI_DEMAND(name) \
  STRATA_CUPTI_FIND(name)         \
  if (found.name == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(#name);
  STRATA_CUPTI_REQUIRED(STRATA_CUPTI_DEMAND)
  STRATA_CUPTI_OPTIONAL(STRATA_CUPTI_FIND)
#undef STRATA_CUPTI_DEMAND
#undef STRATA_CUPTI_FIND
  if (!missing.empty()) throw std::runtime_error("it lacks " + missing);
  return found;
}

std::string text_of(const Functions& functions, CUptiResult result) {
  std::string text = std::to_string(static_cast<int>(result));
  const char* name = nullptr;
  if (functions.cuptiGetResultString != nullptr &&
      functions.cuptiGetResultString(result, &name) == CUPTI_SUCCESS && name != nullptr) {
    text += std::string(" (") + name + ')';
  }
  return text;
}

}  // namespace strata::cupti
