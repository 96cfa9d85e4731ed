// SPDX-License-Identifier: Apache-2.0
// The options of a descriptor, each a constant expression:
//
//   constexpr strata_option kOptions[] = {
//       strata::option::flag("layers", "true", "A range for each layer."),
//       strata::option::choice("memory", "counters|marks|none", "marks", "How memory is shown."),
//       strata::option::integer("steps", "32", "So many are looked at.", 1, 1000)};
//
// Defaults are written as in YAML. Texts must live as long as the plugin's file is loaded: use literals. A
// range applies only if its minimum is less than its maximum (strata/entry.h).
#pragma once

#include "strata/entry.h"

namespace strata::option {

constexpr strata_option flag(const char* key, const char* default_text, const char* help) noexcept {
  return {key, STRATA_OPTION_FLAG, 0, default_text, help, nullptr, 0, 0};
}

constexpr strata_option integer(const char* key, const char* default_text, const char* help,
                                double minimum = 0, double maximum = 0) noexcept {
  return {key, STRATA_OPTION_INTEGER, 0, default_text, help, nullptr, minimum, maximum};
}

constexpr strata_option real(const char* key, const char* default_text, const char* help, double minimum = 0,
                             double maximum = 0) noexcept {
  return {key, STRATA_OPTION_REAL, 0, default_text, help, nullptr, minimum, maximum};
}

constexpr strata_option text(const char* key, const char* default_text, const char* help) noexcept {
  return {key, STRATA_OPTION_TEXT, 0, default_text, help, nullptr, 0, 0};
}

// One of `choices`, separated by '|'.
constexpr strata_option choice(const char* key, const char* choices, const char* default_text,
                               const char* help) noexcept {
  return {key, STRATA_OPTION_TEXT, 0, default_text, help, choices, 0, 0};
}

constexpr strata_option bytes(const char* key, const char* default_text, const char* help, double minimum = 0,
                              double maximum = 0) noexcept {
  return {key, STRATA_OPTION_BYTES, 0, default_text, help, nullptr, minimum, maximum};
}

}  // namespace strata::option
