// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/api/subscriber_functions.hpp"

#include <dlfcn.h>

namespace strata::cupti {

std::optional<SubscriberFunctions> find_subscriber_functions(void* library) {
  SubscriberFunctions found;
#define STRATA_CUPTI_FIND(name, arguments)                                    \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name)); \
  if (found.name == nullptr) return std::nullopt;
  STRATA_CUPTI_OF_SUBSCRIBER(STRATA_CUPTI_FIND)
#undef STRATA_CUPTI_FIND
  return found;
}

}  // namespace strata::cupti
