// SPDX-License-Identifier: Apache-2.0
// The command line's `--dry PROFILE[:N]`, and the options that go with it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace strata::cli {

struct DryArguments {
  std::string profile;  // PROFILE[:N]; empty: no dry device is asked for
  std::string memory, answers, clock, cudnn_workspaces, cudnn_workspace, cusolver_workspace, nccl_memory;

  // The YAML's `device` that they stand for. Throws UsageError, which names the option, where one is wrong
  // and where there is no profile, and something else that needs one.
  std::string device(const std::string& command) const;
};

void add_dry_options(CLI::App& command, DryArguments& arguments);

}  // namespace strata::cli
