// SPDX-License-Identifier: Apache-2.0
// A condition under which a new run fails against its base: "peak_allocated>+2%".
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/diff/run_measures.hpp"

namespace strata::analysis {

// An invalid expression, or an unknown measure. The message says what to write.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "NAME > LIMIT" or "NAME < LIMIT". The limit is
//   +2%, -5%               of the base's value
//   +100MiB, -10ms         above or below it
//   24GiB, 80ms, 1000      absolute
// with the units B, KiB, MiB, GiB, TiB; ns, us, ms, s; or none, which means bytes, nanoseconds or a rate. The
// name is that of a measure; a "*" as its last character stands for every measure that begins with it.
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

  // One result for each measure that it names. Throws GateError if there is none, if its unit does not fit
  // the measure, or if one of the runs did not record it: a missing comparison has not passed.
  std::vector<Result> check(const std::vector<MeasureChange>& measures) const;

 private:
  Result check_one(const MeasureChange& measure) const;

  std::string expression_, name_;
  bool is_upper_ = true;  // fails above the limit
  enum class Against { kNothing, kBase, kShareOfBase } against_ = Against::kNothing;
  double amount_ = 0.0;  // signed; a percentage as a fraction
  std::optional<MeasureUnit> unit_;
};

}  // namespace strata::analysis
