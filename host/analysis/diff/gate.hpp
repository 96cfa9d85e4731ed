// SPDX-License-Identifier: Apache-2.0
// A condition that a new run must not meet against its base: "peak_allocated>+2%".
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/diff/run_measures.hpp"

namespace strata::analysis {

// An expression that cannot be read, or a measure that there is not. The message says what to write.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "NAME > LIMIT" or "NAME < LIMIT". The limit is
//   +2%, -5%               of the base's value
//   +100MiB, -10ms         above or below it
//   24GiB, 80ms, 1000      as such
// with the units B, KiB, MiB, GiB, TiB; ns, us, ms, s; or none, which is bytes, nanoseconds or a rate. The
// name is a measure's; its last character may be "*", which stands for every measure that begins with it.
class Gate {
 public:
  // Throws GateError.
  explicit Gate(std::string_view expression);

  const std::string& expression() const { return expression_; }

  struct Result {
    std::string expression;
    MeasureChange measure;
    double limit = 0.0;  // in the measure's unit
    bool fails = false;
  };

  // One for each measure that it names. Throws GateError when it names none, when its unit is not the
  // measure's, or when one of the runs did not record it: what was not compared has not passed.
  std::vector<Result> check(const std::vector<MeasureChange>& measures) const;

 private:
  Result check_one(const MeasureChange& measure) const;

  std::string expression_, name_;
  bool is_upper_ = true;  // fails above the limit
  enum class Against { kNothing, kBase, kShareOfBase } against_ = Against::kNothing;
  double amount_ = 0.0;  // signed; a share as a fraction
  std::optional<MeasureUnit> unit_;
};

}  // namespace strata::analysis
