// SPDX-License-Identifier: Apache-2.0
// Modules as a tree, numbered ones together.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/report/quantity.hpp"
#include "host/report/time/columns.hpp"
#include "host/report/time/time_tables.hpp"

namespace strata::report {
namespace {

using analysis::LayerTime;

bool is_number(std::string_view label) {
  return !label.empty() && label.size() < 9 &&
         std::ranges::all_of(label, [](char digit) { return digit >= '0' && digit <= '9'; });
}

// One row for several modules that differ only in a number.
struct Folded {
  std::string label;
  std::size_t parent = 0, members = 0;
  int first = 0, last = 0;
  LayerTime::Amount total;
};

std::int64_t weight(const LayerTime::Amount& amount) {
  return amount.host_ns() + amount.device_ns;
}

// Each before those below it.
std::vector<Folded> folded(const std::vector<LayerTime>& layers, bool unfold) {
  std::vector<Folded> rows;
  std::map<std::pair<std::size_t, std::string>, std::size_t> row_of;
  std::vector<std::size_t> around;  // by depth, of the layer at hand
  for (const LayerTime& layer : layers) {
    around.resize(layer.depth);
    const std::size_t parent = around.empty() ? 0 : around.back();
    const bool folds = !unfold && is_number(layer.label);
    const auto [found, is_new] = row_of.emplace(std::pair(parent, folds ? "*" : layer.label), rows.size());
    if (is_new) {
      rows.emplace_back();
      rows.back().label = layer.label;
      rows.back().parent = parent;
    }
    Folded& row = rows[found->second];
    if (folds) {
      const int number = std::stoi(layer.label);
      row.first = row.members == 0 ? number : std::min(row.first, number);
      row.last = row.members == 0 ? number : std::max(row.last, number);
    }
    ++row.members;
    row.total += layer.total;
    around.push_back(found->second);
  }
  for (Folded& row : rows)
    if (row.first != row.last) row.label = fmt::format("[{}-{}]", row.first, row.last);
  return rows;
}

struct Shown {
  std::string label;
  std::uint32_t depth = 0;
  std::size_t row = 0;
};

// In tree order, siblings longest first. A module that contains only a single other one shares its row.
class Order {
 public:
  explicit Order(const std::vector<Folded>& rows) : rows_(rows), below_(rows.size()) {
    for (std::size_t index = 1; index < rows.size(); ++index) below_[rows[index].parent].push_back(index);
    for (auto& below : below_) {
      std::ranges::stable_sort(below, std::greater{},
                               [&](std::size_t index) { return weight(rows[index].total); });
    }
    if (!rows.empty()) place_below(0, 0);
  }
  const std::vector<Shown>& shown() const { return shown_; }

 private:
  void place_below(std::size_t parent, std::uint32_t depth) {
    for (std::size_t index : below_[parent]) {
      std::string label = rows_[index].label;
      while (below_[index].size() == 1 &&
             rows_[below_[index].front()].total.operators == rows_[index].total.operators) {
        index = below_[index].front();
        label += "." + rows_[index].label;
      }
      shown_.push_back({label, depth, index});
      place_below(index, depth + 1);
    }
  }

  const std::vector<Folded>& rows_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<Shown> shown_;
};

}  // namespace

std::string layer_time_table(const analysis::TimeFacts& time, const TimeReportOptions& options,
                             const TerminalStyle& style) {
  if (time.layers.size() < 2) return {};
  const std::vector<Folded> rows = folded(time.layers, options.unfold);
  const LayerTime::Amount& all = rows.front().total;
  const Milliseconds milliseconds(std::max(all.host_ns(), all.device_ns), time.steps.size());
  const bool has_device = !time.devices.empty();
  std::vector<std::string> headings{"Modules", "forward ms", "backward ms", "share"};
  if (has_device) headings.insert(headings.end(), {"device ms", "share"});
  ColumnTable table(headings);
  const Order order(rows);
  for (const Shown& shown : order.shown()) {
    const Folded& row = rows[shown.row];
    if (shown.depth >= options.depth || weight(row.total) * 1000 < weight(all)) continue;
    std::vector<std::string> cells{
        std::string(2 * std::size_t{shown.depth}, ' ') + shown.label, milliseconds(row.total.forward_ns),
        milliseconds(row.total.backward_ns),
        percentage(static_cast<double>(row.total.host_ns()), static_cast<double>(all.host_ns()))};
    if (has_device) {
      cells.push_back(milliseconds(row.total.device_ns));
      cells.push_back(
          percentage(static_cast<double>(row.total.device_ns), static_cast<double>(all.device_ns)));
    }
    table.add(std::move(cells));
  }
  return table.text(style);
}

}  // namespace strata::report
