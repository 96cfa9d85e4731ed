// SPDX-License-Identifier: Apache-2.0
// What loading tried and found, kept line by line and shown as one block when STRATA_VERBOSE is set: whoever
// asks "is my plugin even loaded?" reads every path that was tried and why it was not taken.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "host/runtime/log.hpp"

namespace strata {

class LoadReport {
 public:
  LoadReport() : wanted_(verbose()) {}
  // Shows the block, also when loading failed.
  ~LoadReport();
  LoadReport(const LoadReport&) = delete;
  LoadReport& operator=(const LoadReport&) = delete;

  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (wanted_) block_ += "\n" + fmt::format(format, std::forward<Arguments>(arguments)...);
  }

 private:
  bool wanted_;
  std::string block_;
};

}  // namespace strata
