// SPDX-License-Identifier: Apache-2.0
// An export that is stored as text.
#pragma once

#include <algorithm>
#include <string>

#include "host/export/output.hpp"

namespace strata::exports::testing {

class TextOutput : public Output {
 public:
  void write(std::string_view bytes) override {
    text_ += bytes;
    largest_write_ = std::max(largest_write_, bytes.size());
  }
  const std::string& text() const { return text_; }
  std::size_t largest_write() const { return largest_write_; }

 private:
  std::string text_;
  std::size_t largest_write_ = 0;
};

// The output of `write`, one of the writers of host/export, for its arguments.
template <typename Write, typename... Arguments>
std::string text_of(Write write, const Arguments&... arguments) {
  TextOutput output;
  write(arguments..., output, Progress());
  return output.text();
}

}  // namespace strata::exports::testing
