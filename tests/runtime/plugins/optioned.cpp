// SPDX-License-Identifier: Apache-2.0
// Has an option of every type, and does nothing.
#include <limits>

#include "strata/plugin.hpp"

namespace {

constexpr strata_option kOptions[] = {{"enabled", STRATA_OPTION_FLAG, 0, "true", "A flag", nullptr, 0, 0},
                                      {"depth", STRATA_OPTION_INTEGER, 0, "4", "An integer", nullptr, 1, 64},
                                      {"ratio", STRATA_OPTION_REAL, 0, "0.5", "A real", nullptr, 0, 1},
                                      {"mode", STRATA_OPTION_TEXT, 0, "fast", "A text", "fast|exact", 0, 0},
                                      {"buffer", STRATA_OPTION_BYTES, 0, "1MiB", "A size", nullptr, 1,
                                       std::numeric_limits<double>::infinity()}};

class Optioned {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), 0, "optioned", "2.1", "Has options", kOptions, 5, 0};

  explicit Optioned(const strata::Host& host) {
    host.info("depth " + std::to_string(host.integer("depth")) + " mode " + host.text("mode"));
    static_cast<void>(host.integer("mode"));  // declared as a text: a fault
  }
  void ready(const strata_when&) {}
};

}  // namespace

STRATA_EXPORT_PLUGINS(Optioned)
