// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/attention.hpp"

#include <algorithm>

namespace strata::dry_gpu {
namespace {

constexpr std::int64_t kBytes = 256;

const BackendContents::Attribute* operations_of(const BackendContents& plan_or_configuration) {
  const auto planned = plan_or_configuration.referred(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const BackendContents& configuration = planned == nullptr ? plan_or_configuration : *planned;
  const auto engine = configuration.referred(CUDNN_ATTR_ENGINECFG_ENGINE);
  const auto graph = engine == nullptr ? nullptr : engine->referred(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  return graph == nullptr ? nullptr : graph->find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
}

}  // namespace

// Either one operation, or its parts: the forward pass multiplies two matrices (scores, output), the backward
// pass five.
std::optional<std::int64_t> attention_workspace_bytes(const BackendContents& plan_or_configuration) {
  const BackendContents::Attribute* const operations = operations_of(plan_or_configuration);
  if (operations == nullptr) return std::nullopt;
  const auto count = [&](cudnnBackendDescriptorType_t type) {
    return std::ranges::count_if(operations->descriptors,
                                 [type](const auto& operation) { return operation->type == type; });
  };
  const auto products = count(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  const bool is_attention = count(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR) > 0 ||
                            count(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR) > 0 || products == 2 ||
                            products == 5;
  return is_attention ? std::optional(kBytes) : std::nullopt;
}

}  // namespace strata::dry_gpu
