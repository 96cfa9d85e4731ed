// SPDX-License-Identifier: Apache-2.0
#include "host/grid/pictures/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/grid/tally.hpp"
#include "host/report/text.hpp"

namespace strata::grid {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #18202c; --muted: #546072; --rule: #dfe4ec; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf3; --muted: #9aa7ba; --rule: #333d4c; --ground: #11161e; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p { color: var(--muted); margin: .3rem 0 }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .7rem .25rem 0; text-align: left; border-bottom: 1px solid var(--rule); white-space: nowrap }
td.number, th.number { text-align: right }
img { max-width: 100%; background: #fff; border: 1px solid var(--rule) }
@media (prefers-color-scheme: dark) { img { filter: invert(.93) hue-rotate(180deg); border-color: transparent } }
)";

std::string base64(const std::string& bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t each = 0; each < 3; ++each)
      group = group << 8 | (at + each < bytes.size() ? static_cast<unsigned char>(bytes[at + each]) : 0U);
    for (std::size_t each = 0; each < 4; ++each)
      text += at + each <= bytes.size() ? kLetters[group >> (18 - 6 * each) & 63U] : '=';
  }
  return text;
}

// " on a100-40gb"; nothing where cells differ in it.
std::string device_of(const Plan& plan) {
  if (plan.cells.empty()) return {};
  const std::string& device = plan.cells.front().device;
  const bool one = std::ranges::all_of(plan.cells, [&](const Cell& cell) { return cell.device == device; });
  return one && !device.empty() ? " on " + device : std::string();
}

}  // namespace

std::string escaped_html(const std::string& text) {
  std::string escaped;
  for (const char letter : report::printable(text)) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

std::string html_table(const Table& table) {
  std::string html = "<div class=\"wide\"><table><thead><tr>";
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool number = table.columns[column].kind != ColumnKind::kText;
    html += fmt::format("<{}{}>{}</{}>", tag, number ? " class=\"number\"" : "", escaped_html(text), tag);
  };
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    cell("th", column, heading(table.columns[column]));
  html += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column)
      cell("td", column, shown(row[column], table.columns[column].kind));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_picture(const std::string& svg, const std::string& description) {
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">\n", escaped_html(description),
                     base64(svg));
}

std::string grid_page(const Plan& plan, const std::vector<CellState>& states,
                      const std::vector<PageSection>& sections) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n<p>{2}{3}. Sizes are MiB (2^20 "
      "bytes).</p>\n",
      escaped_html("Grid " + plan.name), kStyle, escaped_html(tally_of(states).text()),
      escaped_html(device_of(plan)));
  for (const PageSection& section : sections)
    html += fmt::format("<h2>{}</h2>\n{}", escaped_html(section.title), section.html);
  return html + "</body></html>\n";
}

}  // namespace strata::grid
