// SPDX-License-Identifier: Apache-2.0
// The messages of `parse_config` about a text.
#pragma once

#include <string>
#include <vector>

#include "host/config/loading/load.hpp"

namespace strata::test {

// The problems' lines; empty if the text is a valid configuration. The file is called t.yaml.
inline std::vector<std::string> problems_of(const std::string& text,
                                            const std::vector<std::string>& overrides = {}) {
  try {
    config::parse_config(text, "t.yaml", overrides);
    return {};
  } catch (const config::ConfigError& error) {
    std::vector<std::string> lines;
    for (const config::Problem& problem : error.problems()) lines.push_back(problem.text());
    return lines;
  }
}

}  // namespace strata::test
