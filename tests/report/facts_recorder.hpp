// SPDX-License-Identifier: Apache-2.0
// Builds Facts from allocations and frees in the simplest way: the tests' own interpretation of facts.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

struct Origin {
  analysis::Category category = analysis::Category::kUnknown;
  analysis::BlockKind kind = analysis::BlockKind::kUnattributed;
  std::string name, op, layer;
  std::string dtype = {}, shape = {};
};

class FactsRecorder {
 public:
  explicit FactsRecorder(std::string name);

  void advance(std::int64_t ns) { now_ns_ += ns; }
  std::uint32_t allocate(std::uint64_t bytes, const Origin& origin);  // the block, for release()
  void release(std::uint32_t block);
  void begin_step(std::int64_t index, std::uint32_t schedule);
  void end_step(double loss, std::uint64_t tokens);
  void begin_phase(std::uint32_t kind, const std::string& name);
  void end_phase();

  // The facts, with statistics and peak over the steps first_step to last_step, or over everything if
  // there are no steps.
  analysis::Facts finish(std::int64_t first_step, std::int64_t last_step);

 private:
  std::uint32_t text(const std::string& text);
  void add_point();
  void add_statistics(std::int64_t begin_ns, std::int64_t end_ns);
  void add_peak(std::int64_t begin_ns, std::int64_t end_ns);
  void add_context();

  analysis::Facts facts_;
  std::map<std::string, std::uint32_t> texts_;
  analysis::TensorForms forms_;
  std::vector<std::uint32_t> open_phases_;  // indices into facts_.phases
  analysis::CategoryBytes bytes_{};
  std::uint64_t sequence_ = 0;
  std::int64_t now_ns_ = 0;
};

}  // namespace strata::report::testing
