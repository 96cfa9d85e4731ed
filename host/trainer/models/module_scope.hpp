// Where a module stands in the model, and who wants to know when it runs. A value: every module that is to
// be seen in a trace keeps its own. Default-constructed, nobody wants to know and `enter` costs a branch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strata/runtime/session.hpp"

namespace strata::trainer {

class ModuleScope {
 public:
  ModuleScope() = default;
  // The root of the model. `session` must outlive every scope made from it.
  explicit ModuleScope(Session& session) : session_(&session) {}

  // "layers.3" for the child "3" of "layers".
  ModuleScope child(std::string_view name) const;

  // Keep the result for as long as the module's forward runs. `type` names the module's class.
  std::optional<ModuleRange> enter(std::string_view type) const;

  // The same for a forward that runs again within backward, around the module's own.
  std::optional<ModuleRange> enter_again() const;

 private:
  Session* session_ = nullptr;
  std::string path_;
};

}  // namespace strata::trainer
