// SPDX-License-Identifier: Apache-2.0
// The option `--dry PROFILE[:N]`, and related options.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is that of the library
class App;
}

namespace strata::cli {

struct DryArguments {
  std::string profile;  // PROFILE[:N]; empty: no dry device requested
  std::string memory, answers, clock, cudnn_workspaces, cudnn_workspace, cusolver_workspace, nccl_memory;

  // The corresponding YAML value of `device`. Throws UsageError, which names the option, if one is invalid,
  // or if there is no profile but another option requires one.
  std::string device(const std::string& command) const;
  // Whether `profile` has N.
  bool has_count() const;
};

// The options of `strata exec` for a dry device, from its YAML value of `device`.
std::vector<std::string> dry_options_of(const std::string& device_yaml);

void add_dry_options(CLI::App& command, DryArguments& arguments);

}  // namespace strata::cli
