// SPDX-License-Identifier: Apache-2.0
#include "host/report/lanes/lane_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/analysis/time/activity_places.hpp"
#include "host/analysis/time/op_spans.hpp"
#include "host/report/lanes/lane_sites.hpp"
#include "host/report/stream/number_column.hpp"

namespace strata::report {
namespace {

// The memory allocated and device work requested by operators, each including called ones, and within any
// interval of a thread.

struct OpAmounts {
  std::uint64_t bytes = 0;     // of blocks in Facts::blocks born in it
  std::int64_t device_ns = 0;  // of the work that it requested
};

class OpAmountTable {
 public:
  // The facts must have times, and outlive this.
  explicit OpAmountTable(const analysis::Facts& facts);

  // Including called operators; index into TimeFacts::spans.
  const OpAmounts& of_op(std::uint32_t op) const { return with_called_[op]; }
  // For all operators of the thread that began within the interval.
  OpAmounts within(std::uint32_t thread, std::int64_t begin_ns, std::int64_t end_ns) const;
  // The same for all threads.
  OpAmounts within(std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Sums {
    std::vector<std::int64_t> begins_ns;  // of the operators, in their order
    std::vector<OpAmounts> until;         // [i]: sum over the first i of them
    OpAmounts within(std::int64_t begin_ns, std::int64_t end_ns) const;
  };

  std::vector<OpAmounts> with_called_;
  std::unordered_map<std::uint32_t, Sums> threads_;
};

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

using analysis::Facts;
using analysis::kNoRow;
using analysis::ProductRow;

class Packing {
 public:
  Packing(const Facts& facts, const Lanes& lanes, std::int64_t begin_ns)
      : facts_(facts), lanes_(lanes), begin_ns_(begin_ns), words_(facts) {
    if (facts.time) amounts_.emplace(facts);
  }

  LaneColumns pack() && {
    number_ops();
    for (const Lane& lane : lanes_.lanes) {
      last_begin_ns_ = begin_ns_;
      for (const LaneInterval& interval : lane.intervals) add(lane.kind, interval);
    }
    LaneColumns columns;
    columns.sections = {{"span_begins", begins_.bytes()}, {"span_lengths", lengths_.bytes()},
                        {"span_rows", rows_.bytes()},     {"span_site_of", site_of_.bytes()},
                        {"span_called", called_.bytes()}, {"span_amounts", bytes_.bytes()},
                        {"span_device", device_.bytes()}, {"span_products", product_of_.bytes()},
                        {"span_askers", askers_.bytes()}, {"span_sites", site_rows()},
                        {"span_texts", texts()}};
    columns.products = std::move(products_);
    return columns;
  }

 private:
  // Numbers operators for the column of requesters: their interval's number over all lanes, from 1.
  void number_ops() {
    if (!facts_.time) return;
    number_of_op_.assign(facts_.time->spans.size(), 0);
    std::uint32_t number = 0;
    for (const Lane& lane : lanes_.lanes) {
      for (const LaneInterval& interval : lane.intervals) {
        ++number;
        if (lane.kind == LaneKind::kOperators) number_of_op_[interval.index] = number;
      }
    }
  }

  void add(LaneKind kind, const LaneInterval& interval) {
    const std::int64_t begin_ns = std::max(interval.begin_ns, last_begin_ns_);
    begins_.append(static_cast<std::uint64_t>(begin_ns - last_begin_ns_));
    last_begin_ns_ = begin_ns;
    lengths_.append(static_cast<std::uint64_t>(std::max<std::int64_t>(0, interval.end_ns - begin_ns)));
    rows_.append(interval.row);
    switch (kind) {
      case LaneKind::kRanges:
        if (interval.index < facts_.phases.size()) return add_phase(interval);
        return add_op(static_cast<std::uint32_t>(interval.index - facts_.phases.size()));
      case LaneKind::kModules:
        return add_module(lanes_.modules[interval.index]);
      case LaneKind::kOperators:
        return add_op(interval.index);
      case LaneKind::kStream:
        return add_activity(interval.index);
    }
  }

  void add_phase(const LaneInterval& interval) {
    const OpAmounts amounts = amounts_ ? amounts_->within(interval.begin_ns, interval.end_ns) : OpAmounts{};
    append(words_.of_phase(interval.index), 0, amounts, 0, 0);
  }

  void add_module(const analysis::ModuleSpan& module) {
    append(words_.of_module(module), 0, amounts_->within(module.thread, module.begin_ns, module.end_ns), 0,
           0);
  }

  void add_op(std::uint32_t index) {
    const analysis::OpSpan& op = facts_.time->spans[index];
    append(words_.of_op(index), std::max<std::int64_t>(0, op.length_ns() - op.self_ns),
           amounts_->of_op(index), product_of(op.ordinal), 0);
  }

  void add_activity(std::uint32_t index) {
    const analysis::ActivityRow& activity = facts_.time->activities[index];
    std::uint32_t op = facts_.time->places[index].op;
    // If it is omitted itself, its nearest enclosing one.
    while (op != kNoRow && number_of_op_[op] == 0) op = facts_.time->spans[op].parent;
    append(words_.of_activity(index), 0, {activity.bytes, 0}, 0, op == kNoRow ? 0 : number_of_op_[op]);
  }

  void append(std::uint32_t site, std::int64_t called_ns, const OpAmounts& amounts, std::size_t product,
              std::uint32_t asker) {
    site_of_.append(site);
    called_.append(static_cast<std::uint64_t>(called_ns));
    bytes_.append(amounts.bytes);
    device_.append(static_cast<std::uint64_t>(std::max<std::int64_t>(0, amounts.device_ns)));
    product_of_.append(product);
    // Mostly the one that the interval before has, or a little later.
    askers_.append_signed(static_cast<std::int64_t>(asker) - last_asker_);
    last_asker_ = asker;
  }

  // Its number, from 1; 0 if it is not a product.
  std::size_t product_of(std::uint64_t ordinal) {
    const auto& rows = facts_.time->product_rows;
    const auto row = std::ranges::lower_bound(rows, ordinal, {}, &ProductRow::op);
    if (row == rows.end() || row->op != ordinal || row->products == 0) return 0;
    constexpr std::size_t kMostProducts = 5000;
    if (products_.size() == kMostProducts) return 0;
    const std::tuple key{row->products, row->batch, row->m, row->n, row->k, row->element_bytes, row->bytes};
    const auto [found, is_new] = product_numbers_.try_emplace(key, products_.size() + 1);
    if (is_new) {
      products_.push_back(*row);
      products_.back().op = 0;
    }
    return found->second;
  }

  std::string site_rows() const {
    NumberColumn column;
    for (const LaneSite& site : words_.sites()) {
      column.append(static_cast<std::uint64_t>(site.kind));
      for (const auto word : {site.phase_kind, site.name, site.full_name, site.layer, site.phase, site.asker})
        column.append(word);
    }
    return column.bytes();
  }

  std::string texts() const {
    return nlohmann::json(words_.texts()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const Facts& facts_;
  const Lanes& lanes_;
  std::int64_t begin_ns_, last_begin_ns_ = 0;
  LaneSites words_;
  std::optional<OpAmountTable> amounts_;
  std::vector<std::uint32_t> number_of_op_;
  std::int64_t last_asker_ = 0;
  std::vector<ProductRow> products_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      std::uint32_t, std::uint64_t>,
           std::size_t>
      product_numbers_;
  NumberColumn begins_, lengths_, rows_, site_of_, called_, bytes_, device_, product_of_, askers_;
};

}  // namespace

LaneColumns lane_columns(const Facts& facts, const Lanes& lanes, std::int64_t begin_ns) {
  return Packing(facts, lanes, begin_ns).pack();
}

}  // namespace strata::report
