// SPDX-License-Identifier: Apache-2.0
#include "bench/plugins/emitter.hpp"

#include "strata/plugin.hpp"

namespace {

constexpr strata_option kOptions[] = {
    {"address", STRATA_OPTION_INTEGER, 0, "0", "of the benchmark's Emitter", nullptr, 0, 0}};

class EmitterSource {
 public:
  static constexpr strata_descriptor kDescriptor = {sizeof(strata_descriptor),
                                                    STRATA_DESCRIPTOR_SOURCE,
                                                    "emitter",
                                                    "1.0",
                                                    "Lends its emit service",
                                                    kOptions,
                                                    1,
                                                    0};

  explicit EmitterSource(const strata::Host& host) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    *reinterpret_cast<strata::Emitter*>(host.integer("address")) = {
        host.abi(), host.service<strata_emit_service>(STRATA_EXT_EMIT)};
  }
  void ready(const strata_when&) {}
};

}  // namespace

STRATA_EXPORT_PLUGINS(EmitterSource)
