// SPDX-License-Identifier: Apache-2.0
// Descriptors of cuDNN's graph interface: the exact values set by callers, and the values that cuDNN itself
// computes for an operation graph. For a graph with convolutions the real cuDNN reports engines and
// workspaces if it can be asked (real_cudnn.hpp). Any other graph has one engine with one configuration,
// whose workspace is given by the workspace model (workspace.hpp); it is then unknown whether the real cuDNN
// has an engine for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dry_gpu/cudnn/call.hpp"
#include "dry_gpu/cudnn/measured_plan.hpp"

namespace strata::dry_gpu {

namespace real_cudnn {
struct Question;
}

// Shared by all descriptors that refer to it, because callers destroy theirs in any order.
struct BackendContents {
  struct Attribute {
    cudnnBackendAttributeType_t type{};
    std::int64_t count = 0;
    std::vector<std::byte> bytes;  // of its elements, unless they are descriptors
    std::vector<std::shared_ptr<BackendContents>> descriptors;  // its elements, if they are descriptors
  };

  const cudnnBackendDescriptorType_t type;
  bool is_final = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;

  // For a configuration from the real cuDNN: the question, and the index in its answer.
  std::shared_ptr<real_cudnn::Question> question{};
  std::size_t place = 0;
  std::shared_ptr<LivePlans> live_plans{};              // of a finalised graph
  std::shared_ptr<const MeasuredPlan> measured_plan{};  // of a plan from the real cuDNN

  // Null if it was not set.
  const Attribute* find(cudnnBackendAttributeName_t name) const;
  // The descriptor referred to by an attribute; null if there is none.
  std::shared_ptr<BackendContents> referred(cudnnBackendAttributeName_t name) const;
};

// The target of a cudnnBackendDescriptor_t.
struct BackendDescriptor {
  std::shared_ptr<BackendContents> contents;
};

// Descriptors and attributes according to cuDNN's header.
bool can_be_created(cudnnBackendDescriptorType_t type);
std::size_t element_bytes(cudnnBackendAttributeType_t type);  // 0: no such type
bool belongs(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t descriptor);
// Empty if the attribute is not checked, because it is not used here.
std::optional<cudnnBackendAttributeType_t> type_of(cudnnBackendAttributeName_t name);
std::span<const cudnnBackendAttributeName_t> required(cudnnBackendDescriptorType_t descriptor);

// Attributes that are computed by cuDNN, not set. Empty if there is no answer here.
std::optional<BackendContents::Attribute> answer_of(const std::shared_ptr<BackendContents>& asked,
                                                    cudnnBackendAttributeName_t name);

// The workspace of an execution plan.
std::int64_t workspace_bytes_of(const BackendContents& plan);

// Asks the real cuDNN for the plan if its configuration came from there. False if cuDNN makes none.
bool make_plan(BackendContents& plan);

}  // namespace strata::dry_gpu
