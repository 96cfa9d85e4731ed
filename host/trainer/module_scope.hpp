// SPDX-License-Identifier: Apache-2.0
// The position of a module in the model, which identifies it in a trace.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <optional>
#include <string>
#include <string_view>

#include "host/trainer/backward/graph_modules.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

// A module's forward: its range in the trace, and the nodes of the backward graph that it makes.
class ForwardRange {
 public:
  // `graph` is null if backward is not traced.
  ForwardRange(Session& session, GraphModules* graph, std::string_view path, std::string_view type)
      : range_(session, path, type), graph_(range_.is_reported() ? graph : nullptr) {
    if (graph_ != nullptr) graph_->enter(path, type);
  }
  ~ForwardRange() {
    if (graph_ != nullptr) graph_->leave();
  }
  ForwardRange(const ForwardRange&) = delete;
  ForwardRange& operator=(const ForwardRange&) = delete;

 private:
  ModuleRange range_;
  GraphModules* graph_;
};

// The position of a module in the model, and the session to which its calls are reported. A value type: every
// traced module has its own. If default-constructed it has no session, and `enter` costs a branch.
class ModuleScope {
 public:
  ModuleScope() = default;
  // The root of the model. `session`, and `graph` if given, must outlive every scope made from it.
  explicit ModuleScope(Session& session, GraphModules* graph = nullptr) : session_(&session), graph_(graph) {}

  // "layers.3" for the child "3" of "layers".
  ModuleScope child(std::string_view name) const;

  // Keep the result for as long as the module's forward runs. `type` names the module's class.
  std::optional<ForwardRange> enter(std::string_view type) const;

  // The same for a forward repeated within backward, around the module's own range.
  std::optional<ModuleRange> enter_again() const;

  // Reports a tensor that the module keeps from its forward until it is repeated. No effect for an undefined
  // tensor.
  void keeps(std::string_view name, const at::Tensor& tensor) const;
  // The same for a tensor kept in host memory until then.
  void offloads(std::string_view name, const at::Tensor& tensor) const;

 private:
  Session* session_ = nullptr;
  GraphModules* graph_ = nullptr;
  std::string path_;
};

// The site where a module is built: its position, and the properties of its tensors.
struct ModelSite {
  ModuleScope scope = {};
  at::TensorOptions tensors = at::TensorOptions(at::kFloat).device(at::kCPU);  // dtype and device

  ModelSite child(std::string_view name) const { return {scope.child(name), tensors}; }
};

}  // namespace strata::trainer
