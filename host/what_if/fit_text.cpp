// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/fit_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/analysis/facts/category.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::what_if {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFitWidth = 80;

// Less reads as 0.00 GiB.
constexpr std::uint64_t kLeastNamed = std::uint64_t{1} << 23;

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.2f}", static_cast<double>(bytes) / 0x1p30);
}

// Room that is left where the largest runs, as near as a dry device knows.
std::uint64_t left_bytes(const DeviceFit& fit) {
  const std::uint64_t needed = fit.at_largest.needed_bytes();
  return needed < fit.memory_bytes ? fit.memory_bytes - needed : 0;
}

std::string contents(const analysis::CategoryBytes& bytes) {
  std::string text;
  for (std::size_t index = 0; index < analysis::kCategories; ++index) {
    if (bytes[index] < kLeastNamed) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        analysis::to_string(static_cast<analysis::Category>(index)), gibibytes(bytes[index]));
  }
  return text;
}

std::string asked_by(const TrialFailure& failure) {
  std::string text =
      report::mebibytes(static_cast<double>(failure.requested_bytes), 1) + " MiB were requested";
  if (!failure.phase.empty()) text += " in " + report::printable(failure.phase);
  if (!failure.layer.empty()) text += ", in " + report::printable(failure.layer);
  if (!failure.op.empty()) text += ", by " + report::printable(failure.op);
  return text;
}

std::string why_not(std::int64_t value, const TrialReport& report) {
  if (!report.failure) return fmt::format("{} does not fit.", value);
  return fmt::format("{} does not: {}, with {} GiB allocated ({}).", value, asked_by(*report.failure),
                     gibibytes(report.failure->allocated_bytes), contents(report.failure->held));
}

Json to_json(const analysis::CategoryBytes& bytes) {
  Json json;
  for (std::size_t index = 0; index < analysis::kCategories; ++index)
    json[analysis::to_string(static_cast<analysis::Category>(index))] = bytes[index];
  return json;
}

Json to_json(const TrialFailure& failure) {
  return {{"requested_bytes", failure.requested_bytes},
          {"op", failure.op},
          {"layer", failure.layer},
          {"phase", failure.phase},
          {"allocated_bytes", failure.allocated_bytes},
          {"held", to_json(failure.held)}};
}

}  // namespace

std::string fit_text(const std::string& key, const DeviceFit& fit) {
  std::string text = fmt::format("{} on a dry {}, {} GiB\n\n", key, fit.card, gibibytes(fit.memory_bytes));
  if (fit.found.largest) {
    text += fmt::format("  largest that fits      {}\n", fit.found.largest->value);
    text += fmt::format("  needs at its peak      {} GiB, {} of them allocated\n",
                        gibibytes(fit.at_largest.needed_bytes()), gibibytes(fit.at_largest.allocated_bytes));
    text += fmt::format("  left                   {} GiB\n\n", gibibytes(left_bytes(fit)));
    text +=
        report::wrapped("At its peak, in GiB: " + contents(fit.at_largest.categories) + ".", 2, kFitWidth);
  } else {
    text += "  Not even the lowest value fits.\n\n";
  }
  if (fit.found.next) {
    text += report::wrapped(why_not(*fit.found.next, fit.at_next), 2, kFitWidth);
  } else {
    text += report::wrapped("It is the highest allowed value (--at-most).", 2, kFitWidth);
  }
  text += fmt::format("\n  {}\n", fit.command);
  return text;
}

std::string fit_table(const std::string& key, const std::vector<DeviceFit>& fits) {
  std::string text =
      fmt::format("Largest {} on each card\n\n{:<16}{:>12}{:>16}{:>12}{:>11}\n", report::printable(key),
                  "device", "memory GiB", "largest", "needs GiB", "left GiB");
  for (const DeviceFit& fit : fits) {
    text += fmt::format("{:<16}{:>12}", fit.device, gibibytes(fit.memory_bytes));
    if (fit.found.largest) {
      text += fmt::format("{:>16}{:>12}{:>11}\n",
                          fmt::format("{}{}", fit.found.next ? "" : ">= ", fit.found.largest->value),
                          gibibytes(fit.at_largest.needed_bytes()), gibibytes(left_bytes(fit)));
    } else {
      text += fmt::format("{:>16}\n", "none");
    }
  }
  return text;
}

Json fit_json(const std::string& key, const DeviceFit& fit) {
  Json json{
      {"schema", "strata.fit/1"},         {"key", key},         {"device", fit.device}, {"card", fit.card},
      {"memory_bytes", fit.memory_bytes}, {"largest", nullptr}, {"next", nullptr}};
  if (fit.found.largest) {
    json["largest"] = fit.found.largest->value;
    json["needed_bytes"] = fit.at_largest.needed_bytes();
    json["left_bytes"] = left_bytes(fit);
    json["peak"] = {{"allocated_bytes", fit.at_largest.allocated_bytes},
                    {"reserved_bytes", fit.at_largest.reserved_bytes},
                    {"categories", to_json(fit.at_largest.categories)}};
  }
  if (fit.found.next) json["next"] = *fit.found.next;
  if (fit.found.next && fit.at_next.failure) json["failure"] = to_json(*fit.at_next.failure);
  json["tried"] = Json::array();
  for (const Trial& trial : fit.found.tried)
    json["tried"].push_back(
        {{"value", trial.value}, {"fits", trial.fits}, {"needed_bytes", trial.needed_bytes}});
  json["command"] = fit.command;
  return json;
}

}  // namespace strata::what_if
