// SPDX-License-Identifier: Apache-2.0
#include "host/config/checks/adapter_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/config/adapter.hpp"
#include "host/config/checks/findings.hpp"
#include "host/config/nearest.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

// Each name once.
std::vector<std::string_view> names_of_layers(const ModelConfig& model) {
  std::vector<std::string_view> names;
  for (const AdaptableLayer& layer : adaptable_layers(model)) {
    if (std::ranges::find(names, layer.name) == names.end()) names.push_back(layer.name);
  }
  return names;
}

class AdapterChecker : Findings {
 public:
  AdapterChecker(const Written& written, const RunConfig& config, std::vector<Problem>& problems)
      : Findings(written, problems), config_(config) {}

  void run() {
    if (!config_.adapter.is_used() || !sound({"adapter.name", "model.name"})) return;
    if (default_targets(config_.model.name).empty()) {
      problem("adapter.name", fmt::format("lora supports llama, qwen and gpt2, but model.name is {}; remove "
                                          "the adapter, or choose another model",
                                          chosen_name(config_, "model.name")));
      return;
    }
    targets();
    base();
    checkpointing();
    ranks();
  }

 private:
  void targets() {
    if (!sound({"adapter.targets"})) return;
    std::vector<std::string_view> names = names_of_layers(config_.model);
    names.push_back(kAllLinear);
    for (const std::string& target : config_.adapter.targets) {
      if (std::ranges::find(names, target) != names.end()) continue;
      problem("adapter.targets",
              fmt::format("expected layers of {}, of {}, found '{}'{}", chosen_name(config_, "model.name"),
                          fmt::join(names, ", "), target, did_you_mean(target, names)));
    }
  }

  void base() {
    if (!sound({"adapter.base", "precision"})) return;
    const Precision precision = config_.precision;
    const std::string_view name = chosen_name(config_, "precision");
    if (precision == Precision::kFp64)
      return problem("precision",
                     "fp64 is not supported with adapters, which are float32; choose another precision");
    const BaseStorage base = config_.adapter.base;
    const bool is_half = precision == Precision::kBf16 || is_autocast(precision);
    if (base == BaseStorage::kBf16 && !is_half)
      problem("adapter.base", fmt::format("bf16 weights need computation in bf16, but precision is {}; "
                                          "choose precision: bf16 or bf16_autocast, or base: fp32",
                                          name));
    if (base == BaseStorage::kFp32 && precision == Precision::kBf16)
      problem(
          "adapter.base",
          "fp32 weights cannot be used with precision: bf16; choose base: bf16, or precision: bf16_autocast");
    if (base == BaseStorage::kNf4 && precision == Precision::kFp16Autocast)
      problem("adapter.base",
              "nf4 weights need computation in bf16 or fp32, but precision is fp16_autocast; choose "
              "precision: bf16 or bf16_autocast");
  }

  // Nothing before the first adapter requires a gradient.
  void checkpointing() {
    if (!sound({"checkpointing"}) || config_.checkpointing.part == CheckpointedPart::kNone ||
        !config_.checkpointing.reentrant)
      return;
    problem(
        "checkpointing",
        "reentrant needs an input that requires a gradient, and with an adapter the first block's does not; "
        "remove reentrant");
  }

  void ranks() {
    if (!sound({"world_size", "adapter.base"}) || config_.adapter.base != BaseStorage::kNf4 ||
        config_.world_size == 1)
      return;
    problem("adapter.base", "nf4 supports only one device; choose base: bf16, or world_size: 1");
  }

  const RunConfig& config_;
};

}  // namespace

void check_adapter(const Written& written, const RunConfig& config, std::vector<Problem>& problems) {
  AdapterChecker(written, config, problems).run();
}

}  // namespace strata::config
