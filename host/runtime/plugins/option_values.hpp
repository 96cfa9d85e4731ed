// SPDX-License-Identifier: Apache-2.0
// The values of a plugin's options: the configured texts, checked against its descriptor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/runtime/plugins/option_text.hpp"
#include "strata/entry.h"
#include "strata/runtime/options.hpp"

namespace strata {

class OptionValues {
 public:
  // Afterwards every declared option has a value: the configured one or the default. Problems (unknown key,
  // duplicate key, type, range, choice) are added to `problems` as complete messages that begin with the
  // option's place.
  static OptionValues resolve(const strata_descriptor& descriptor,
                              const std::vector<PluginOption>& configured,
                              std::vector<std::string>& problems);

  // The getters of strata_host. Null if the key is not declared with that type.
  const bool* flag(std::string_view key) const;
  const std::int64_t* integer(std::string_view key) const;
  const double* real(std::string_view key) const;
  const std::string* text(std::string_view key) const;

  // "key=value, key=value" in the descriptor's order, for the log.
  std::string summary() const;

 private:
  template <typename Type>
  const Type* find(std::string_view key) const;

  std::map<std::string, OptionValue, std::less<>> values_;
  std::vector<std::string> order_;
};

}  // namespace strata
