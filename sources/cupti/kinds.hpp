// SPDX-License-Identifier: Apache-2.0
// Which kinds of activity are recorded, as the options say.
#pragma once

#include <string_view>
#include <vector>

#include "sources/cupti/subscription/cupti_api.hpp"

namespace strata::cupti {

// Comma-separated words of the option `kinds`, in the order of what follows.
inline constexpr const char* kDefaultKinds = "kernel,copy,set,api,synchronize,overhead,memory,module,jit";

struct Kinds {
  bool kernel = false, copy = false, set = false;
  bool api = false;  // the runtime's, and of the driver's what libraries call past it (launch_functions.hpp)
  bool driver = false;  // all of the driver's
  bool synchronize = false, overhead = false, memory = false, memory_pool = false, module = false;
  bool jit = false;
  bool graph_nodes = false;  // each node of a graph, else the graph as one
};

// Throws std::runtime_error that names the unknown word and all known ones.
Kinds parse_kinds(std::string_view words, bool graph_nodes);

// What CUPTI is asked for. `is_dry`: of the dry GPU, which records work and calls alone. Modules are no kind
// that CUPTI lets anybody enable: callbacks tell of them (recording/resources.hpp).
std::vector<CUpti_ActivityKind> activity_kinds(const Kinds& kinds, bool is_dry);

// Whether a CUPTI that does not have the kind records everything all the same.
bool may_be_refused(CUpti_ActivityKind kind);

// The record's name, for messages.
const char* kind_name(CUpti_ActivityKind kind);

}  // namespace strata::cupti
