// SPDX-License-Identifier: Apache-2.0
// The recorder's (nvtx_recorder.cpp) output since this object was created.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace strata::test {

class Recording {
 public:
  // Empties the recorder's file.
  Recording();

  std::vector<nlohmann::json> events() const;
  std::vector<nlohmann::json> events(const std::string& event) const;
  // "push step 3" for a push with that message and payload, "pop", "start window", "end window", "mark ...":
  // the operations on ranges, in order.
  std::vector<std::string> story() const;
  // The sum of the threads' pushes minus pops, and of starts minus ends.
  int open() const;

 private:
  std::filesystem::path file_;
};

}  // namespace strata::test
