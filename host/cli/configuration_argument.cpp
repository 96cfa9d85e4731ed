// SPDX-License-Identifier: Apache-2.0
#include "host/cli/configuration_argument.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

bool is_program(const std::filesystem::path& word) {
  const std::string name = word.filename().string();
  return word.extension() == ".py" || name.starts_with("python") || name == "torchrun";
}

}  // namespace

void require_configuration(std::string_view command, const std::string& config) {
  if (!is_program(config)) return;
  throw UsageError(
      fmt::format("{}: {}: expected a configuration's YAML file, found a program; with one of your own, try "
                  "sizes in a loop of the shell: for batch in 4 8 16; do strata exec --dry rtx-4090 "
                  "--plugins none -- python train.py --batch $batch || break; done (docs/fit.md)",
                  command, config));
}

}  // namespace strata::cli
