// SPDX-License-Identifier: Apache-2.0
// What the recorder (nvtx_recorder.cpp) was told since this object was made.
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
  // what happens to ranges, in order.
  std::vector<std::string> story() const;
  // The threads' pushes less their pops, and starts less ends, in all.
  int open() const;

 private:
  std::filesystem::path file_;
};

}  // namespace strata::test
