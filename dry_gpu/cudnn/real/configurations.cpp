// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/configurations.hpp"

#include "dry_gpu/cudnn/real/words.hpp"

namespace strata::dry_gpu::real_cudnn {
namespace {

// More than cuDNN has: a larger number is not an answer of cuDNN.
constexpr std::size_t kMostConfigurations = 4096, kMostNotes = 64;
constexpr std::int32_t kMostNote = 1000, kMostKnobType = 1000;
constexpr std::int64_t kMostKnobValue = std::int64_t{1} << 40;
constexpr std::int64_t kMostEngine = 1'000'000;
constexpr std::int64_t kMostWorkspaceBytes = std::int64_t{1} << 44;

constexpr std::string_view kNone = "-", kNoPlan = "none", kNotAsked = "?";

std::string text_of(const std::vector<std::int32_t>& notes) {
  if (notes.empty()) return std::string(kNone);
  std::string text;
  for (const std::int32_t note : notes) text += (text.empty() ? "" : ",") + std::to_string(note);
  return text;
}

std::string text_of(const Knobs& knobs) {
  if (knobs.empty()) return std::string(kNone);
  std::string text;
  for (const Knob& knob : knobs)
    text += (text.empty() ? "" : ",") + std::to_string(knob.type) + ':' + std::to_string(knob.value);
  return text;
}

std::optional<std::vector<std::int32_t>> parse_notes(std::string_view text) {
  std::vector<std::int32_t> notes;
  if (text == kNone) return notes;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto note = number_in<std::int32_t>(take_until(text, ','), 0, kMostNote);
    if (!note || notes.size() == kMostNotes) return std::nullopt;
    notes.push_back(*note);
  }
  return notes;
}

std::optional<Knobs> parse_knobs(std::string_view text) {
  Knobs knobs;
  if (text == kNone) return knobs;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    std::string_view word = take_until(text, ',');
    const auto type = number_in<std::int32_t>(take_until(word, ':'), 0, kMostKnobType);
    const auto value = number_in<std::int64_t>(word, -kMostKnobValue, kMostKnobValue);
    if (!type || !value || knobs.size() == kMostKnobs) return std::nullopt;
    knobs.push_back({.type = *type, .value = *value});
  }
  return knobs;
}

std::optional<Configuration> parse_configuration(std::string_view line) {
  const auto value_of = [&](std::string_view name) -> std::string_view {
    return take_until(line, ' ') == name ? take_until(line, ' ') : std::string_view();
  };
  Configuration configuration;
  const auto engine = number_in<std::int64_t>(value_of("engine"), 0, kMostEngine);
  auto numerical = parse_notes(value_of("notes"));
  auto behavior = parse_notes(value_of("behavior"));
  auto knobs = parse_knobs(value_of("knobs"));
  const std::string_view plan = value_of("plan");
  if (!engine || !numerical || !behavior || !knobs || !line.empty()) return std::nullopt;
  configuration.engine = *engine;
  configuration.numerical_notes = std::move(*numerical);
  configuration.behavior_notes = std::move(*behavior);
  configuration.knobs = std::move(*knobs);
  if (plan != kNotAsked) {
    configuration.plan = parse_plan(plan);
    if (!configuration.plan) return std::nullopt;
  }
  return configuration;
}

}  // namespace

std::string text_of(const Plan& plan) {
  return plan.works ? std::to_string(plan.workspace_bytes) : std::string(kNoPlan);
}

std::optional<Plan> parse_plan(std::string_view text) {
  if (text == kNoPlan) return Plan{};
  const auto bytes = number_in<std::int64_t>(text, 0, kMostWorkspaceBytes);
  return bytes ? std::optional(Plan{.works = true, .workspace_bytes = *bytes}) : std::nullopt;
}

std::string text_of(const Configurations& configurations) {
  std::string text;
  for (const Configuration& each : configurations) {
    text += "engine " + std::to_string(each.engine) + " notes " + text_of(each.numerical_notes) +
            " behavior " + text_of(each.behavior_notes) + " knobs " + text_of(each.knobs) + " plan " +
            (each.plan ? text_of(*each.plan) : std::string(kNotAsked)) + '\n';
  }
  return text;
}

std::optional<Configurations> parse_configurations(std::string_view text) {
  if (!text.empty() && text.back() != '\n') return std::nullopt;
  Configurations configurations;
  while (!text.empty()) {
    auto configuration = parse_configuration(take_until(text, '\n'));
    if (!configuration || configurations.size() == kMostConfigurations) return std::nullopt;
    configurations.push_back(std::move(*configuration));
  }
  return configurations;
}

}  // namespace strata::dry_gpu::real_cudnn
