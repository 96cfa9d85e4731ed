// SPDX-License-Identifier: Apache-2.0
// Names of files that say a run's settings: "{model.name}_ctx{model.context}_{mode}".
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace strata::bundle {

// The template names a key that no run has, or has a brace without its other one.
class TemplateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NameTemplate {
 public:
  // Throws TemplateError.
  explicit NameTemplate(std::string_view text);

  // For a run whose config.yaml says this. A key that does not apply to it is "none". Letters, digits and
  // "._-" alone, no more than 150 of them, and never what names another place.
  std::string name_for(std::string_view config_yaml) const;

 private:
  struct Part {
    std::string text;
    bool is_key = false;
  };
  std::vector<Part> parts_;
};

// `name`, or it with a number behind it that makes it one of its own, in letters of one case as well.
std::string unique_name(const std::string& name, std::set<std::string>& taken);

}  // namespace strata::bundle
