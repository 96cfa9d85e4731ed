// SPDX-License-Identifier: Apache-2.0
// Which run may go on with the checkpoint of which other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/run_config.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// Adds a problem where `resume` names nothing that can be read, and makes a checkpoint of the folder that it
// may name: the newest.
void check_resume(const Written& written, RunConfig& config, std::vector<Problem>& problems);

struct Difference {
  std::string key;
  std::string saved;
  std::string here;
};

// The keys that decide what a checkpoint holds, where `config` says something else of them than the resolved
// YAML that was saved with it. A key that only one of the two has is no difference: a later version's may be
// one that the earlier did without. Throws YAML::Exception where that is no YAML.
std::vector<Difference> what_forbids_resuming(const std::string& saved_yaml, const RunConfig& config);

}  // namespace strata::config
