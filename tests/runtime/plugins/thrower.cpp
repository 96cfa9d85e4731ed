// SPDX-License-Identifier: Apache-2.0
// Throws in every one of its listeners.
#include <stdexcept>

#include "strata/plugin.hpp"

namespace {

class Thrower {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), STRATA_DESCRIPTOR_WHOLE_RUN, "thrower", "1.0", "Throws", nullptr, 0, 0};

  explicit Thrower(const strata::Host&) {}

  void begin_phase(const strata_when&, const strata_phase_info&) { throw std::runtime_error("phase"); }
  void on_memory(const strata_when&, const strata_memory_event&) { throw std::runtime_error("memory"); }
  ~Thrower() = default;
};

}  // namespace

STRATA_EXPORT_PLUGINS(Thrower)
