// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "host/analysis/steps/median.hpp"

namespace strata::grid {
namespace {

std::string text_over(const std::vector<Entry>& entries) {
  const bool alike =
      std::ranges::all_of(entries, [&](const Entry& each) { return each.text == entries[0].text; });
  return alike ? entries[0].text : std::string();
}

}  // namespace

Entry text_entry(std::string text) {
  return {.text = std::move(text), .number = {}, .least = {}, .most = {}};
}

Entry number_entry(std::optional<double> number) {
  return {.text = {}, .number = number, .least = {}, .most = {}};
}

Entry entry_over(const std::vector<Entry>& entries) {
  std::vector<double> numbers;
  for (const Entry& each : entries) {
    if (each.number) numbers.push_back(*each.number);
  }
  if (numbers.empty()) return {};
  Entry entry = number_entry(analysis::median(numbers));
  if (numbers.size() > 1) {
    const auto [least, most] = std::ranges::minmax(numbers);
    entry.least = least;
    entry.most = most;
  }
  return entry;
}

Table grouped(const Table& table, const std::vector<std::string>& by) {
  const auto is_key = [&](const Column& column) { return std::ranges::find(by, column.name) != by.end(); };
  std::map<std::vector<std::string>, std::size_t> places;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> key;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      if (is_key(table.columns[column]))
        key.push_back(shown(table.rows[row][column], table.columns[column].kind));
    }
    const auto [place, is_new] = places.emplace(std::move(key), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(row);
  }

  Table result{.columns = table.columns, .rows = {}};
  result.columns.push_back({"cells", ColumnKind::kNumber});
  for (const std::vector<std::size_t>& group : groups) {
    std::vector<Entry> row;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      std::vector<Entry> entries;
      entries.reserve(group.size());
      for (const std::size_t each : group) entries.push_back(table.rows[each][column]);
      if (is_key(table.columns[column]))
        row.push_back(entries[0]);
      else if (table.columns[column].kind == ColumnKind::kText)
        row.push_back(text_entry(text_over(entries)));
      else
        row.push_back(entry_over(entries));
    }
    row.push_back(number_entry(static_cast<double>(group.size())));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace strata::grid
