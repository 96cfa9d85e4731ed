// SPDX-License-Identifier: Apache-2.0
#include "host/report/lanes/op_amounts.hpp"

#include <algorithm>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/activity_places.hpp"
#include "host/analysis/time/op_spans.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::kNoRow;

std::vector<OpAmounts> own_amounts(const Facts& facts) {
  const auto& ops = facts.time->spans;
  std::vector<OpAmounts> own(ops.size());
  for (const analysis::Block& block : facts.blocks)
    if (const auto op = analysis::find_op(ops, block.birth_op); block.birth_op != 0 && op)
      own[*op].bytes += block.bytes;
  const auto& activities = facts.time->activities;
  for (std::size_t index = 0; index < activities.size(); ++index) {
    const std::uint32_t op = facts.time->places[index].op;
    if (op != kNoRow && analysis::is_device_work(activities[index].kind))
      own[op].device_ns += activities[index].end_ns - activities[index].begin_ns;
  }
  return own;
}

}  // namespace

OpAmountTable::OpAmountTable(const Facts& facts) : with_called_(own_amounts(facts)) {
  const auto& ops = facts.time->spans;
  std::vector<std::uint32_t> order(ops.size());
  for (std::uint32_t op = 0; op < order.size(); ++op) order[op] = op;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t op) { return ops[op].begin_ns; });
  for (const std::uint32_t op : order) {
    Sums& sums = threads_[ops[op].thread];
    if (sums.until.empty()) sums.until.emplace_back();
    OpAmounts sum = sums.until.back();
    sum.bytes += with_called_[op].bytes;
    sum.device_ns += with_called_[op].device_ns;
    sums.begins_ns.push_back(ops[op].begin_ns);
    sums.until.push_back(sum);
  }
  // An operator comes before those that it calls.
  for (std::size_t op = ops.size(); op-- > 0;) {
    if (ops[op].parent == kNoRow) continue;
    with_called_[ops[op].parent].bytes += with_called_[op].bytes;
    with_called_[ops[op].parent].device_ns += with_called_[op].device_ns;
  }
}

OpAmounts OpAmountTable::Sums::within(std::int64_t begin_ns, std::int64_t end_ns) const {
  const auto place = [&](std::int64_t ns) {
    return static_cast<std::size_t>(std::ranges::lower_bound(begins_ns, ns) - begins_ns.begin());
  };
  const OpAmounts &before = until[place(begin_ns)], &after = until[std::max(place(begin_ns), place(end_ns))];
  return {after.bytes - before.bytes, after.device_ns - before.device_ns};
}

OpAmounts OpAmountTable::within(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() ? OpAmounts{} : found->second.within(begin_ns, end_ns);
}

OpAmounts OpAmountTable::within(std::int64_t begin_ns, std::int64_t end_ns) const {
  OpAmounts all;
  for (const auto& [thread, sums] : threads_) {
    const OpAmounts amounts = sums.within(begin_ns, end_ns);
    all.bytes += amounts.bytes;
    all.device_ns += amounts.device_ns;
  }
  return all;
}

}  // namespace strata::report
