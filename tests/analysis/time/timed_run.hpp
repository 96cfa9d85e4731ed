// SPDX-License-Identifier: Apache-2.0
// A run in which every time is known: steps, phases, modules, operators and device activities, as the plugin
// cupti_timeline would have recorded it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts/time_facts.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis::testing {

class TimedRun {
 public:
  static constexpr std::uint32_t kDriver = 100, kAutograd = 101;

  TimedRun();

  // Each returns its ordinal; nested entries must follow their parent.
  void step(std::int64_t index, std::int64_t begin_ns, std::int64_t end_ns);
  std::uint32_t phase(std::string_view name, std::uint32_t kind, std::int64_t begin_ns, std::int64_t end_ns);
  std::uint32_t module(std::string_view path, std::int64_t begin_ns, std::int64_t end_ns);

  struct Op {
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint64_t parent = 0;
    std::uint32_t thread = kDriver;
    std::uint32_t kind = 0;  // STRATA_OP_*
    std::uint32_t module = 0;
    std::int64_t autograd_sequence = -1;
  };
  std::uint64_t op(std::string_view name, const Op& op);
  void product(std::uint64_t op, const ProductRow& shape);

  // A call of the runtime, launching or not, and the resulting activity.
  std::uint64_t call(std::string_view name, std::int64_t begin_ns, std::int64_t end_ns, bool launches = true,
                     std::uint32_t thread = kDriver);
  ActivityRow& device(std::uint32_t kind, std::int64_t begin_ns, std::int64_t end_ns,
                      std::uint64_t correlation = 0, std::string_view name = {});
  void wait(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t thread = kDriver);

  Recording& recording() { return run_; }
  // The analysed run; the run itself is unchanged.
  TimeFacts facts() const;

 private:
  Recording run_;
  std::uint64_t sequence_ = 0, activity_ = 0, correlation_ = 0;
};

// The row of that name.
template <typename Rows, typename Member, typename Value>
const auto* find_row(const Rows& rows, Member member, const Value& value) {
  for (const auto& row : rows)
    if (row.*member == value) return &row;
  return static_cast<decltype(&rows[0])>(nullptr);
}

}  // namespace strata::analysis::testing
