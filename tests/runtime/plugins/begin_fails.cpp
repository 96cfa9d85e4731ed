// SPDX-License-Identifier: Apache-2.0
// Fails at the run's begin.
#include <stdexcept>

#include "strata/plugin.hpp"

namespace {

class BeginFails {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), STRATA_DESCRIPTOR_WHOLE_RUN, "begin_fails", "1.0", "Fails", nullptr, 0, 0};

  explicit BeginFails(const strata::Host& host) : host_(host) {}

  void begin_run(const strata_when&, const strata_run_info&) {
    throw std::runtime_error("the device is gone");
  }
  void begin_phase(const strata_when&, const strata_phase_info&) { host_.info("heard of a phase"); }
  void end_run(const strata_when&, std::uint32_t) { host_.info("let go"); }

 private:
  strata::Host host_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(BeginFails)
