// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/grid/table/table.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::grid {
namespace {

constexpr double kNsPerMs = 1e6;

std::string plain_number(double number) {
  if (number == std::round(number) && std::abs(number) < 1e15) return fmt::format("{:.0f}", number);
  return fmt::format("{:.6g}", number);
}

std::string one_number(double number, ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kBytes:
      return report::mebibytes(number, number < 100.0 * 1048576.0 ? 3 : 1);
    case ColumnKind::kNanoseconds:
      return fmt::format("{:.{}f}", number / kNsPerMs, number < 100.0 * kNsPerMs ? 2 : 1);
    case ColumnKind::kPerSecond:
      return fmt::format("{:.4g}", number);
    case ColumnKind::kNumber:
      if (number == std::round(number) && number >= 100'000.0 && number < 1e15)
        return report::thousands(static_cast<std::uint64_t>(number));
      return plain_number(number);
    case ColumnKind::kText:
      break;
  }
  return {};
}

std::string quoted_csv(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string raw_number(double number, ColumnKind kind) {
  const bool whole = kind == ColumnKind::kBytes || kind == ColumnKind::kNanoseconds;
  return whole ? fmt::format("{:.0f}", number) : plain_number(number);
}

std::string escaped_markdown(const std::string& text) {
  std::string escaped;
  for (const char letter : report::printable(text)) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

bool has_spread(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const auto& row) { return row[column].least.has_value(); });
}

}  // namespace

std::string shown(const Entry& entry, ColumnKind kind) {
  if (kind == ColumnKind::kText) return entry.text;
  if (!entry.number) return {};
  std::string text = one_number(*entry.number, kind);
  if (entry.least && entry.most && *entry.least != *entry.most)
    text += fmt::format(" ({} to {})", one_number(*entry.least, kind), one_number(*entry.most, kind));
  return text;
}

std::string heading(const Column& column) {
  switch (column.kind) {
    case ColumnKind::kBytes:
      return column.name + " MiB";
    case ColumnKind::kNanoseconds:
      return column.name + " ms";
    case ColumnKind::kPerSecond:
      return column.name + " /s";
    case ColumnKind::kText:
    case ColumnKind::kNumber:
      break;
  }
  return column.name;
}

std::string raw_name(const Column& column) {
  switch (column.kind) {
    case ColumnKind::kBytes:
      return column.name + "_bytes";
    case ColumnKind::kNanoseconds:
      return column.name + "_ns";
    case ColumnKind::kPerSecond:
      return column.name + "_per_second";
    case ColumnKind::kText:
    case ColumnKind::kNumber:
      break;
  }
  return column.name;
}

std::string terminal_table(const Table& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(report::printable(heading(column)));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column)
      lines.back().push_back(report::printable(shown(row[column], table.columns[column].kind)));
  }
  std::vector<int> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], report::columns(line[column]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t column = 0; column < line.size(); ++column) {
      const auto blanks = static_cast<std::size_t>(widths[column] - report::columns(line[column]));
      const bool left = table.columns[column].kind == ColumnKind::kText;
      row += (column == 0 ? "" : "  ") +
             (left ? line[column] + std::string(blanks, ' ') : std::string(blanks, ' ') + line[column]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string markdown_table(const Table& table) {
  std::string text = "|", rule = "|";
  for (const Column& column : table.columns) {
    text += " " + escaped_markdown(heading(column)) + " |";
    rule += column.kind == ColumnKind::kText ? "---|" : "---:|";
  }
  text += '\n' + rule + '\n';
  for (const auto& row : table.rows) {
    text += '|';
    for (std::size_t column = 0; column < row.size(); ++column)
      text += " " + escaped_markdown(shown(row[column], table.columns[column].kind)) + " |";
    text += '\n';
  }
  return text;
}

std::string csv_table(const Table& table) {
  std::string head;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string name = quoted_csv(raw_name(table.columns[column]));
    head += (column == 0 ? "" : ",") + name;
    if (has_spread(table, column)) head += fmt::format(",{0}_least,{0}_most", name);
  }
  std::string text = head + "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const ColumnKind kind = table.columns[column].kind;
      const Entry& entry = row[column];
      const auto number = [&](const std::optional<double>& value) {
        return value ? raw_number(*value, kind) : std::string();
      };
      if (column > 0) text += ',';
      text += kind == ColumnKind::kText ? quoted_csv(entry.text) : number(entry.number);
      if (has_spread(table, column))
        text += "," + number(entry.least ? entry.least : entry.number) + "," +
                number(entry.most ? entry.most : entry.number);
    }
    text += "\r\n";
  }
  return text;
}

std::string json_table(const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto number = [](const std::optional<double>& value) -> nlohmann::ordered_json {
    if (!value) return nullptr;
    if (*value == std::round(*value) && std::abs(*value) < 9e15) return static_cast<std::int64_t>(*value);
    return *value;
  };
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const Column& about = table.columns[column];
      const std::string name = raw_name(about);
      if (about.kind == ColumnKind::kText)
        object[name] = row[column].text;
      else
        object[name] = number(row[column].number);
      if (has_spread(table, column)) {
        object[name + "_least"] = number(row[column].least ? row[column].least : row[column].number);
        object[name + "_most"] = number(row[column].most ? row[column].most : row[column].number);
      }
    }
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace strata::grid
