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
  throw UsageError(fmt::format(
      "{}: {}: expected a configuration's YAML file, found a program; to find a program's largest batch: "
      "strata fit --device rtx-4090 -- python train.py --batch-size {{}} (docs/fit.md)",
      command, config));
}

}  // namespace strata::cli
