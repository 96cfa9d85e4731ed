// SPDX-License-Identifier: Apache-2.0
// Listens to modules and stores nothing: while it is loaded, trainers report modules in backward too.
#include "strata/plugin.hpp"

namespace {

class ModuleListener {
 public:
  static constexpr strata_descriptor kDescriptor = {sizeof(strata_descriptor),
                                                    STRATA_DESCRIPTOR_WHOLE_RUN,
                                                    "module_listener",
                                                    "1.0",
                                                    "Listens to modules",
                                                    nullptr,
                                                    0,
                                                    0};

  explicit ModuleListener(const strata::Host&) {}

  std::uint64_t begin_module(const strata_when&, const strata_module_info& module) { return module.ordinal; }
  void end_module(const strata_when&, const strata_module_info&, std::uint64_t) {}
};

}  // namespace

STRATA_EXPORT_PLUGINS(ModuleListener)
