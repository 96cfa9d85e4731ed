// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/program_start.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

namespace strata::grid {

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) entries.emplace_back(text);
  }
  for (const auto& [name, value] : variables) entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace strata::grid
