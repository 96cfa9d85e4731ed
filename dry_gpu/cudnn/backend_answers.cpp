// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "dry_gpu/cudnn/attention.hpp"
#include "dry_gpu/cudnn/backend.hpp"
#include "dry_gpu/cudnn/convolution_shape.hpp"
#include "dry_gpu/cudnn/real_cudnn.hpp"
#include "dry_gpu/cudnn/workspace.hpp"

namespace strata::dry_gpu {
namespace {

using Attribute = BackendContents::Attribute;

template <typename Value>
Attribute one(cudnnBackendAttributeType_t type, Value value) {
  Attribute attribute{
      .type = type, .count = 1, .bytes = std::vector<std::byte>(sizeof value), .descriptors = {}};
  std::memcpy(attribute.bytes.data(), &value, sizeof value);
  return attribute;
}

Attribute none(cudnnBackendAttributeType_t type) {
  return {.type = type, .count = 0, .bytes = {}, .descriptors = {}};
}

Attribute refer_to(std::shared_ptr<BackendContents> contents) {
  return {
      .type = CUDNN_TYPE_BACKEND_DESCRIPTOR, .count = 1, .bytes = {}, .descriptors = {std::move(contents)}};
}

std::shared_ptr<BackendContents> make_final(cudnnBackendDescriptorType_t type) {
  return std::make_shared<BackendContents>(BackendContents{.type = type, .is_final = true, .attributes = {}});
}

Attribute notes(cudnnBackendAttributeType_t type, const std::vector<std::int32_t>& values) {
  Attribute attribute{.type = type,
                      .count = static_cast<std::int64_t>(values.size()),
                      .bytes = std::vector<std::byte>(values.size() * sizeof(std::int32_t)),
                      .descriptors = {}};
  if (!values.empty()) std::memcpy(attribute.bytes.data(), values.data(), attribute.bytes.size());
  return attribute;
}

// A configuration of an engine for a graph; without more, of the one engine that there is of each.
std::shared_ptr<BackendContents> configuration_for(const std::shared_ptr<BackendContents>& graph,
                                                   const real_cudnn::Configuration& told = {}) {
  const auto engine = make_final(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->attributes = {
      {CUDNN_ATTR_ENGINE_OPERATION_GRAPH, refer_to(graph)},
      {CUDNN_ATTR_ENGINE_GLOBAL_INDEX, one<std::int64_t>(CUDNN_TYPE_INT64, told.engine)},
      {CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, notes(CUDNN_TYPE_NUMERICAL_NOTE, told.numerical_notes)},
      {CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, notes(CUDNN_TYPE_BEHAVIOR_NOTE, told.behavior_notes)}};
  auto configuration = make_final(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configuration->attributes = {{CUDNN_ATTR_ENGINECFG_ENGINE, refer_to(engine)}};
  return configuration;
}

// The configurations from those heuristics, best first.
Attribute configurations_for(const BackendContents& heuristics) {
  const auto graph = heuristics.referred(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  const Attribute* const asked = heuristics.find(CUDNN_ATTR_ENGINEHEUR_MODE);
  cudnnBackendHeurMode_t mode{};
  if (asked != nullptr && asked->bytes.size() == sizeof mode)
    std::memcpy(&mode, asked->bytes.data(), sizeof mode);
  Attribute results = none(CUDNN_TYPE_BACKEND_DESCRIPTOR);
  const auto question = graph == nullptr ? nullptr : ask_real_cudnn(*graph, mode);
  for (std::size_t place = 0; question != nullptr && place < question->answer.size(); ++place) {
    results.descriptors.push_back(configuration_for(graph, question->answer[place]));
    results.descriptors.back()->question = question;
    results.descriptors.back()->place = place;
  }
  // A program that a card would run is never ended by what could not be asked here: the last resort is always
  // there.
  if (question == nullptr || mode == CUDNN_HEUR_MODE_FALLBACK)
    results.descriptors.push_back(configuration_for(graph));
  results.count = static_cast<std::int64_t>(results.descriptors.size());
  return results;
}

std::shared_ptr<BackendContents> graph_of(const BackendContents& configuration) {
  const auto engine = configuration.referred(CUDNN_ATTR_ENGINECFG_ENGINE);
  return engine == nullptr ? nullptr : engine->referred(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
}

std::int64_t workspace_bytes_of_configuration(const BackendContents& configuration) {
  const auto graph = graph_of(configuration);
  return graph != nullptr && convolves(*graph) ? static_cast<std::int64_t>(convolution_workspace_bytes())
                                               : attention_workspace_bytes(configuration).value_or(0);
}

// Whether the device is of the kind whose answers were compared with a real GPU.
bool is_compared() {
  const MachineState state = machine();
  return state.machine != nullptr && state.machine->profile().compute_major == 9;
}

// Whether cuDNN offers it without a device although a real GPU does not run it.
bool is_offered_in_vain(const BackendContents& graph, const BackendContents& configuration) {
  const std::vector<std::int32_t>& notes =
      configuration.question->answer[configuration.place].numerical_notes;
  return is_compared() && is_gradient_of_groups_in_16_bits(graph) &&
         std::ranges::find(notes, std::int32_t{CUDNN_NUMERICAL_NOTE_TENSOR_CORE}) != notes.end();
}

// Converts cuDNN's answer without a device to a GPU of the profile's kind.
std::int64_t on_this_device(const BackendContents& graph, const BackendContents& configuration,
                            std::int64_t answered_bytes) {
  if (!is_compared()) return answered_bytes;
  const auto shape = convolution_shape(graph);
  if (!shape) return answered_bytes;
  return real_cudnn::workspace_on(machine().machine->profile().multiprocessors, *shape,
                                  configuration.question->answer[configuration.place].knobs, answered_bytes);
}

}  // namespace

bool make_plan(BackendContents& plan) {
  const auto configuration = plan.referred(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  if (configuration == nullptr || configuration->question == nullptr) return true;
  const auto graph = graph_of(*configuration);
  if (graph == nullptr || graph->live_plans == nullptr) return true;
  if (is_offered_in_vain(*graph, *configuration)) return false;
  const auto told = plan_of_real_cudnn(*configuration->question, configuration->place);
  if (!told) return true;  // its workspace is unknown
  if (told->works) {
    const std::int64_t bytes = on_this_device(*graph, *configuration, told->workspace_bytes);
    plan.measured_plan =
        std::make_shared<const MeasuredPlan>(graph->live_plans, bytes, bytes != told->workspace_bytes);
  }
  return told->works;
}

std::int64_t workspace_bytes_of(const BackendContents& plan) {
  if (plan.measured_plan != nullptr) return plan.measured_plan->workspace_bytes();
  const auto configuration = plan.referred(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  return configuration == nullptr ? 0 : workspace_bytes_of_configuration(*configuration);
}

std::optional<Attribute> answer_of(const std::shared_ptr<BackendContents>& asked,
                                   cudnnBackendAttributeName_t name) {
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return configurations_for(*asked);
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
      return one<std::int64_t>(CUDNN_TYPE_INT64, 1);
    // The engine has no knobs, and no known property that would lead to another choice.
    case CUDNN_ATTR_ENGINE_KNOB_INFO:
    case CUDNN_ATTR_ENGINE_LAYOUT_INFO:
    case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
    case CUDNN_ATTR_ENGINECFG_INTERMEDIATE_INFO:
      return none(CUDNN_TYPE_BACKEND_DESCRIPTOR);
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      return none(CUDNN_TYPE_NUMERICAL_NOTE);
    case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
      return none(CUDNN_TYPE_BEHAVIOR_NOTE);
    case CUDNN_ATTR_EXECUTION_PLAN_COMPUTED_INTERMEDIATE_UIDS:
    case CUDNN_ATTR_EXECUTION_PLAN_RUN_ONLY_INTERMEDIATE_UIDS:
      return none(CUDNN_TYPE_INT64);
    case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
      return one(CUDNN_TYPE_INT64, workspace_bytes_of_configuration(*asked));
    // Callers reject plans that need more than they allow, or whose need is unknown.
    case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
      return one<std::int32_t>(CUDNN_TYPE_INT32, 0);
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      return one(CUDNN_TYPE_INT64, workspace_bytes_of(*asked));
    default:
      return std::nullopt;
  }
}

}  // namespace strata::dry_gpu
