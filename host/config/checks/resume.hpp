// SPDX-License-Identifier: Apache-2.0
// Which runs may continue from another run's checkpoint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds a problem if `resume` names nothing readable. If it names a folder, replaces it by the newest
// checkpoint in it.
void check_resume(const Written& written, RunConfig& config, std::vector<Problem>& problems);

struct Difference {
  std::string key;
  std::string saved;
  std::string here;
};

// The keys that determine a checkpoint's contents for which `config` differs from the resolved YAML saved
// with it. A key that only one of them has is not a difference, because it may be from a later version.
// Throws YAML::Exception if the text is not YAML.
std::vector<Difference> what_forbids_resuming(const std::string& saved_yaml, const RunConfig& config);

}  // namespace strata::config
