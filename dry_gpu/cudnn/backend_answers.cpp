// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "dry_gpu/cudnn/attention.hpp"
#include "dry_gpu/cudnn/backend.hpp"
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

// The one configuration of the one engine for a graph.
std::shared_ptr<BackendContents> configuration_for(const std::shared_ptr<BackendContents>& graph) {
  const auto engine = make_final(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->attributes = {{CUDNN_ATTR_ENGINE_OPERATION_GRAPH, refer_to(graph)},
                        {CUDNN_ATTR_ENGINE_GLOBAL_INDEX, one<std::int64_t>(CUDNN_TYPE_INT64, 0)}};
  auto configuration = make_final(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configuration->attributes = {{CUDNN_ATTR_ENGINECFG_ENGINE, refer_to(engine)}};
  return configuration;
}

bool is_convolution(const std::shared_ptr<BackendContents>& operation) {
  return operation->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
         operation->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
         operation->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
}

std::int64_t workspace_bytes_of_configuration(const BackendContents& configuration) {
  const auto engine = configuration.referred(CUDNN_ATTR_ENGINECFG_ENGINE);
  const auto graph = engine == nullptr ? nullptr : engine->referred(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  const Attribute* const operations = graph == nullptr ? nullptr : graph->find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  const bool convolves =
      operations != nullptr && std::ranges::any_of(operations->descriptors, is_convolution);
  return convolves ? static_cast<std::int64_t>(convolution_workspace_bytes())
                   : attention_workspace_bytes(configuration).value_or(0);
}

}  // namespace

std::int64_t workspace_bytes_of(const BackendContents& plan) {
  const auto configuration = plan.referred(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  return configuration == nullptr ? 0 : workspace_bytes_of_configuration(*configuration);
}

std::optional<Attribute> answer_of(const std::shared_ptr<BackendContents>& asked,
                                   cudnnBackendAttributeName_t name) {
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return refer_to(configuration_for(asked->referred(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)));
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
      return one<std::int64_t>(CUDNN_TYPE_INT64, 1);
    // The engine has no knobs, and nothing is known of it that could make anybody choose another.
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
    // Callers take no plan that needs more than they allow, and none whose need is not answered.
    case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
      return one<std::int32_t>(CUDNN_TYPE_INT32, 0);
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      return one(CUDNN_TYPE_INT64, workspace_bytes_of(*asked));
    default:
      return std::nullopt;
  }
}

}  // namespace strata::dry_gpu
