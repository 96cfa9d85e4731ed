// SPDX-License-Identifier: Apache-2.0
// The kinds of activity to record, according to the options.
#pragma once

#include <string_view>
#include <vector>

#include "sources/cupti/api/cupti_api.hpp"

namespace strata::cupti {

// Comma-separated words of the option `kinds`, in the order below.
inline constexpr const char* kDefaultKinds = "kernel,copy,set,api,synchronize,overhead,memory,module,jit";

struct Kinds {
  bool kernel = false, copy = false, set = false;
  bool api =
      false;  // all of the runtime, and driver calls that libraries make directly (launch_functions.hpp)
  bool driver = false;  // all driver calls
  bool synchronize = false, overhead = false, memory = false, memory_pool = false, module = false;
  bool jit = false;
  bool graph_nodes = false;  // each node of a graph; else the graph as a whole
};

// Throws std::runtime_error that names the unknown word and all known ones.
Kinds parse_kinds(std::string_view words, bool graph_nodes);

// The kinds to request from CUPTI. `is_dry`: from the simulated GPU, which records only work and calls. CUPTI
// has no activity kind for modules: they are reported through callbacks (recording/resources.hpp).
std::vector<CUpti_ActivityKind> activity_kinds(const Kinds& kinds, bool is_dry);

// Whether the recording is still complete if CUPTI does not have this kind.
bool may_be_refused(CUpti_ActivityKind kind);

// The record's name for messages.
const char* kind_name(CUpti_ActivityKind kind);

}  // namespace strata::cupti
