// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/string_table.hpp"

#include "host/runtime/store/definition_log.hpp"

namespace strata {

strata_name StringTable::intern(std::string_view text, InternCache& cache) {
  if (text.empty()) return {"", 0, 0};
  text = text.substr(0, kMaximumTextBytes);
  if (const auto known = cache.find(text); known != cache.end()) return known->second;
  const strata_name name = intern_shared(text);
  cache.emplace(std::string_view(name.text, text.size()), name);
  return name;
}

strata_name StringTable::intern_shared(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto known = ids_.find(text);
  if (known != ids_.end()) return {known->first.data(), known->second, 0};
  const std::string& kept = texts_.emplace_back(text);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  ids_.emplace(kept, id);
  log_.append(TextDefinition{id, kept});
  return {kept.c_str(), id, 0};
}

}  // namespace strata
