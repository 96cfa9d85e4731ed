// SPDX-License-Identifier: Apache-2.0
// Functions on module paths such as "teacher.layers.0".
#pragma once

#include <string_view>

namespace strata::analysis {

// Whether `path` is that of `module` or of a module inside it.
inline bool is_within(std::string_view path, std::string_view module) {
  return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
}

// The innermost module that contains both; empty if there is none.
inline std::string_view module_around(std::string_view one, std::string_view other) {
  while (!one.empty() && !is_within(other, one)) {
    const std::size_t dot = one.rfind('.');
    one = dot == std::string_view::npos ? std::string_view() : one.substr(0, dot);
  }
  return one;
}

// The first part of a module's path or a parameter's name: the model that contains it.
inline std::string_view model_of(std::string_view path) {
  return path.substr(0, path.find('.'));
}

// The parameter of a gradient with that name: "layers.0.weight" for itself and for "layers.0.weight.grad".
inline std::string_view trained_by(std::string_view gradient) {
  constexpr std::string_view kGradient = ".grad";
  if (gradient.ends_with(kGradient)) gradient.remove_suffix(kGradient.size());
  return gradient;
}

}  // namespace strata::analysis
