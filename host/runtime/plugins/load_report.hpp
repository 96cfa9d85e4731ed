// SPDX-License-Identifier: Apache-2.0
// A record of what loading tried and found, shown as one block if STRATA_VERBOSE is set. It answers the
// question "is my plugin even loaded?" with every path that was tried and why it was rejected.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "host/runtime/log.hpp"

namespace strata {

class LoadReport {
 public:
  LoadReport() : wanted_(verbose()) {}
  // Shows the block, even if loading failed.
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
