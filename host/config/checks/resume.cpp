// SPDX-License-Identifier: Apache-2.0
#include "host/config/checks/resume.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "host/config/checks/findings.hpp"
#include "host/config/files/checkpoint_files.hpp"

namespace strata::config {
namespace {

// Keys that determine the parameters, their state and number formats. All others may change between runs:
// rates, data, device, plugins.
constexpr std::array kShapingKeys{
    "model.name",
    "model.layers",
    "model.d_model",
    "model.d_ff",
    "model.heads",
    "model.kv_heads",
    "model.vocab",
    "model.context",
    "model.positions",
    "model.rope_theta",
    "model.norm_epsilon",
    "model.tied",
    "model.bias",
    "model.activation",
    "model.classes",
    "model.task",
    "adapter.name",
    "adapter.rank",
    "adapter.alpha",
    "adapter.base",
    "adapter.double_quantization",
    "optimizer.name",
    "optimizer.impl",
    "optimizer.momentum",
    "optimizer.rank",
    "optimizer.proj_type",
    "optimizer.keep_factor",
    "optimizer.rank_fraction",
    "precision",
};

class ResumeChecker : Findings {
 public:
  ResumeChecker(const Written& written, RunConfig& config, std::vector<Problem>& problems)
      : Findings(written, problems), config_(config) {}

  void run() {
    if (config_.resume.empty() || !sound({"resume"})) return;
    std::error_code ignored;
    if (std::filesystem::is_directory(config_.resume, ignored)) {
      const auto newest = newest_checkpoint(config_.resume);
      if (!newest) {
        problem("resume", fmt::format("expected a checkpoint, or the folder of a run with checkpoints, found "
                                      "no step_<n>.pt in '{}' or in its folder {}",
                                      config_.resume.string(), kCheckpointFolder));
        return;
      }
      config_.resume = *newest;
    }
    if (access(config_.resume.c_str(), R_OK) != 0)
      problem("resume", fmt::format("cannot read '{}': {}", config_.resume.string(), std::strerror(errno)));
  }

 private:
  RunConfig& config_;
};

std::optional<std::string> text_at(const YAML::Node& root, std::string_view path) {
  const auto dot = path.find('.');
  if (!root.IsMap()) return std::nullopt;
  const YAML::Node value = root[std::string(path.substr(0, dot))];
  if (dot != std::string_view::npos) return value ? text_at(value, path.substr(dot + 1)) : std::nullopt;
  if (!value || !value.IsScalar()) return std::nullopt;
  return value.Scalar();
}

}  // namespace

void check_resume(const Written& written, RunConfig& config, std::vector<Problem>& problems) {
  ResumeChecker(written, config, problems).run();
}

std::vector<Difference> what_forbids_resuming(const std::string& saved_yaml, const RunConfig& config) {
  const YAML::Node saved = YAML::Load(saved_yaml);
  const YAML::Node here = YAML::Load(config.resolved_yaml);
  std::vector<Difference> differences;
  for (const char* const key : kShapingKeys) {
    const auto theirs = text_at(saved, key);
    const auto ours = text_at(here, key);
    if (theirs && ours && *theirs != *ours) differences.push_back({key, *theirs, *ours});
  }
  return differences;
}

}  // namespace strata::config
