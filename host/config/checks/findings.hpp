// SPDX-License-Identifier: Apache-2.0
// Common state of the checks: which keys are valid, and where to report problems.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

class Findings {
 public:
  // Both must outlive it; problems found are added to `problems`.
  Findings(const Written& written, std::vector<Problem>& problems) : written_(written), problems_(problems) {}

  // A rule is checked only if the keys that it reads are valid.
  bool sound(std::initializer_list<std::string_view> paths) const;
  bool is_written(std::string_view path) const { return written_.values.contains(path); }
  void problem(std::string_view path, std::string message);

 private:
  const Written& written_;
  std::vector<Problem>& problems_;
};

}  // namespace strata::config
