// SPDX-License-Identifier: Apache-2.0
// What checks of values need: which keys were understood, and where to say what is wrong.
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
  // Both must outlive it; what it finds is added to `problems`.
  Findings(const Written& written, std::vector<Problem>& problems) : written_(written), problems_(problems) {}

  // A rule is judged only when the keys that it reads were understood.
  bool sound(std::initializer_list<std::string_view> paths) const;
  bool is_written(std::string_view path) const { return written_.values.contains(path); }
  void problem(std::string_view path, std::string message);

 private:
  const Written& written_;
  std::vector<Problem>& problems_;
};

}  // namespace strata::config
