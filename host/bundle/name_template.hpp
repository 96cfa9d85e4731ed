// SPDX-License-Identifier: Apache-2.0
// File names made from a run's settings: "{model.name}_ctx{model.context}_{mode}".
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace strata::bundle {

// The template names a key that no run has, or has an unmatched brace.
class TemplateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NameTemplate {
 public:
  // Throws TemplateError.
  explicit NameTemplate(std::string_view text);

  // The name for a run with this config.yaml. A key that does not apply to it becomes "none". Consists of
  // letters, digits and "._-", at most 150 of them, and never refers to another folder.
  std::string name_for(std::string_view config_yaml) const;

 private:
  struct Part {
    std::string text;
    bool is_key = false;
  };
  std::vector<Part> parts_;
};

// `name`, or `name` with a number appended so that it is unique, ignoring case.
std::string unique_name(const std::string& name, std::set<std::string>& taken);

}  // namespace strata::bundle
