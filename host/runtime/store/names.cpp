// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/names.hpp"

#include "host/runtime/store/store.hpp"

namespace strata {

strata_name Names::intern(std::string_view text) {
  if (text.empty()) return {"", 0, 0};
  if (store_ != nullptr) return store_->intern(text);
  const std::lock_guard lock(mutex_);
  auto found = ids_.find(text);
  if (found == ids_.end()) {
    found = ids_.emplace(text, static_cast<std::uint32_t>(ids_.size() + 1)).first;
  }
  return {found->first.c_str(), found->second, 0};
}

}  // namespace strata
