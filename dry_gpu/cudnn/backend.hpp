// SPDX-License-Identifier: Apache-2.0
// Descriptors of cuDNN's graph interface: what their callers set, kept exactly, and what cuDNN itself answers
// of an operation graph. Of a graph with convolutions the real cuDNN tells engines and workspaces where it
// can be asked (real/real_cudnn.hpp). Of any other graph there is one engine with one configuration, which
// needs what the workspace model says (workspace.hpp); which graphs the real cuDNN has no engine for is not
// known then.
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

// Shared with every descriptor that refers to it: the callers destroy theirs in any order.
struct BackendContents {
  struct Attribute {
    cudnnBackendAttributeType_t type{};
    std::int64_t count = 0;
    std::vector<std::byte> bytes;                               // of its elements, but for descriptors
    std::vector<std::shared_ptr<BackendContents>> descriptors;  // its elements, where they are those
  };

  const cudnnBackendDescriptorType_t type;
  bool is_final = false;
  std::map<cudnnBackendAttributeName_t, Attribute> attributes;

  // Of a configuration that the real cuDNN has told of: the question, and the place in its answer.
  std::shared_ptr<real_cudnn::Question> question{};
  std::size_t place = 0;
  std::shared_ptr<LivePlans> live_plans{};              // of a graph that is final
  std::shared_ptr<const MeasuredPlan> measured_plan{};  // of a plan that the real cuDNN has told of

  // Null: it was not set.
  const Attribute* find(cudnnBackendAttributeName_t name) const;
  // The descriptor that an attribute refers to; null: none.
  std::shared_ptr<BackendContents> referred(cudnnBackendAttributeName_t name) const;
};

// What a cudnnBackendDescriptor_t points to.
struct BackendDescriptor {
  std::shared_ptr<BackendContents> contents;
};

// What cuDNN's header says of descriptors and their attributes.
bool can_be_created(cudnnBackendDescriptorType_t type);
std::size_t element_bytes(cudnnBackendAttributeType_t type);  // 0: there is no such type
bool belongs(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t descriptor);
// Nothing: not looked at, since nothing here reads the attribute.
std::optional<cudnnBackendAttributeType_t> type_of(cudnnBackendAttributeName_t name);
std::span<const cudnnBackendAttributeName_t> required(cudnnBackendDescriptorType_t descriptor);

// What is not set but found out by cuDNN. Nothing: it has no answer here.
std::optional<BackendContents::Attribute> answer_of(const std::shared_ptr<BackendContents>& asked,
                                                    cudnnBackendAttributeName_t name);

// Of an execution plan.
std::int64_t workspace_bytes_of(const BackendContents& plan);

// Asks the real cuDNN for the plan of its configuration, if that came from there. False: it makes none.
bool make_plan(BackendContents& plan);

}  // namespace strata::dry_gpu
