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
  const std::uint64_t needed = fit.at_best.needed_bytes();
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

std::string of_rank(const TrialReport& report) {
  return report.rank ? fmt::format(" on rank {}", *report.rank) : "";
}

std::string why_not(std::int64_t value, const TrialReport& report) {
  if (!report.failure) return fmt::format("{} does not fit{}.", value, of_rank(report));
  return fmt::format("{} does not: {}{}, with {} GiB allocated ({}).", value, asked_by(*report.failure),
                     of_rank(report), gibibytes(report.failure->allocated_bytes),
                     contents(report.failure->held));
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
  std::string text =
      fit.is_fewest
          ? fmt::format("Ranks, each on a dry {}, {} GiB\n\n", fit.card, gibibytes(fit.memory_bytes))
          : fmt::format("{} on a dry {}, {} GiB\n\n", key, fit.card, gibibytes(fit.memory_bytes));
  if (fit.found.best) {
    text += fmt::format("  {:<22} {}\n", fit.is_fewest ? "fewest that fit" : "largest that fits",
                        fit.found.best->value);
    text += fmt::format("  needs at its peak      {} GiB, {} of them allocated\n",
                        gibibytes(fit.at_best.needed_bytes()), gibibytes(fit.at_best.allocated_bytes));
    text += fmt::format("  left                   {} GiB\n\n", gibibytes(left_bytes(fit)));
    text += report::wrapped(
        fmt::format("At its peak{}, in GiB: {}.", of_rank(fit.at_best), contents(fit.at_best.categories)), 2,
        kFitWidth);
  } else {
    text += fit.is_fewest ? "  Not even the most ranks fit.\n\n" : "  Not even the lowest value fits.\n\n";
  }
  if (fit.found.next) {
    text += report::wrapped(why_not(*fit.found.next, fit.at_next), 2, kFitWidth);
  } else {
    text += report::wrapped(fit.is_fewest ? "It is the lowest tried number (--world)."
                                          : "It is the highest allowed value (--at-most).",
                            2, kFitWidth);
  }
  text += fmt::format("\n  {}\n", fit.command);
  return text;
}

std::string fit_table(const std::string& key, const std::vector<DeviceFit>& fits) {
  const bool is_fewest = !fits.empty() && fits.front().is_fewest;
  const char* const beyond = is_fewest ? "<= " : ">= ";
  std::string text = fmt::format("{} {} on each card\n\n{:<16}{:>12}{:>16}{:>12}{:>11}\n",
                                 is_fewest ? "Fewest" : "Largest", report::printable(key), "device",
                                 "memory GiB", is_fewest ? "fewest" : "largest", "needs GiB", "left GiB");
  for (const DeviceFit& fit : fits) {
    text += fmt::format("{:<16}{:>12}", fit.device, gibibytes(fit.memory_bytes));
    if (fit.found.best) {
      text += fmt::format("{:>16}{:>12}{:>11}\n",
                          fmt::format("{}{}", fit.found.next ? "" : beyond, fit.found.best->value),
                          gibibytes(fit.at_best.needed_bytes()), gibibytes(left_bytes(fit)));
    } else {
      text += fmt::format("{:>16}\n", "none");
    }
  }
  return text;
}

Json fit_json(const std::string& key, const DeviceFit& fit) {
  const char* const answer = fit.is_fewest ? "fewest" : "largest";
  Json json{{"schema", "strata.fit/1"},         {"key", key},      {"device", fit.device}, {"card", fit.card},
            {"memory_bytes", fit.memory_bytes}, {answer, nullptr}, {"next", nullptr}};
  if (fit.found.best) {
    json[answer] = fit.found.best->value;
    json["needed_bytes"] = fit.at_best.needed_bytes();
    json["left_bytes"] = left_bytes(fit);
    json["peak"] = {{"allocated_bytes", fit.at_best.allocated_bytes},
                    {"reserved_bytes", fit.at_best.reserved_bytes},
                    {"categories", to_json(fit.at_best.categories)}};
    if (fit.at_best.rank) json["peak"]["rank"] = *fit.at_best.rank;
  }
  if (fit.found.next) json["next"] = *fit.found.next;
  if (fit.found.next && fit.at_next.failure) {
    json["failure"] = to_json(*fit.at_next.failure);
    if (fit.at_next.rank) json["failure"]["rank"] = *fit.at_next.rank;
  }
  json["tried"] = Json::array();
  for (const Trial& trial : fit.found.tried)
    json["tried"].push_back(
        {{"value", trial.value}, {"fits", trial.fits}, {"needed_bytes", trial.needed_bytes}});
  json["command"] = fit.command;
  return json;
}

}  // namespace strata::what_if
