// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::what_if {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kName = 31, kCost = 17, kAdviceWidth = 80;

std::string amount(std::uint64_t bytes) {
  return report::mebibytes(static_cast<double>(bytes), 0);
}

class AdviceText {
 public:
  AdviceText(const std::vector<Change>& changes, const AdvisedDevice& device, const Advice& advice,
             const CommandOf& command)
      : changes_(changes), device_(device), advice_(advice), command_(command) {}

  std::string text() {
    text_ = fmt::format("On a dry {}, {:.2f} GiB. Measured, in MiB (2^20 bytes):\n\n", device_.card,
                        static_cast<double>(device_.memory_bytes) / 0x1p30);
    text_ +=
        fmt::format("{:<{}}{:>8}{:>8}{:>8}{:>6}  {}\n", "", kName, "peak", "needs", "saves", "time", "price");
    row("as it is", advice_.base, "");
    section("The same training, one change at a time", Effect::kSameMathematics);
    if (advice_.together.size() > 1) {
      text_ += "\nOne after the other, the largest saving first\n";
      for (const Line& line : advice_.together) row(last_name(line), line, "");
    }
    section("Another training, one change at a time", Effect::kOtherMathematics);
    if (advice_.all) {
      text_ += "\nAll of these that save something\n";
      row(fmt::format("{} changes", advice_.all->changes.size()), *advice_.all, "");
    }
    text_ += '\n';
    explain();
    add_settings();
    report_refused();
    conclude();
    return std::move(text_);
  }

 private:
  std::string last_name(const Line& line) const {
    return (line.changes.size() > 1 ? "+ " : "") + changes_[line.changes.back()].name;
  }

  bool saves(const Line& line) const {
    return line.measured.needed_bytes + kLeastSaving <= advice_.base.measured.needed_bytes;
  }

  // "*" if it fits; memory, saving and cost.
  void row(const std::string& name, const Line& line, const std::string& cost) {
    const Measurement& base = advice_.base.measured;
    const bool is_less = line.measured.needed_bytes <= base.needed_bytes;
    const std::string saved = line.changes.empty() ? ""
                              : is_less            ? amount(base.needed_bytes - line.measured.needed_bytes)
                                        : "-" + amount(line.measured.needed_bytes - base.needed_bytes);
    std::string time;
    if (base.step_ns && line.measured.step_ns && *base.step_ns > 0)
      time = fmt::format("{:.2f}", *line.measured.step_ns / *base.step_ns);
    text_ +=
        fmt::format("{} {}{:>8}{:>8}{:>8}{:>6}", line.fits ? '*' : ' ', report::fitted(name, kName - 2),
                    amount(line.measured.allocated_bytes), amount(line.measured.needed_bytes), saved, time);
    text_ += cost.empty() ? "\n" : "  " + report::shortened(cost, kCost) + "\n";
  }

  void section(const std::string& title, Effect effect) {
    std::vector<const Line*> lines;
    for (const Line& line : advice_.alone) {
      if (changes_[line.changes.front()].effect == effect) lines.push_back(&line);
    }
    if (lines.empty()) return;
    std::ranges::stable_sort(lines, {}, [](const Line* line) { return line->measured.needed_bytes; });
    text_ += "\n" + title + "\n";
    for (const Line* const line : lines) {
      const Change& change = changes_[line->changes.front()];
      row(change.name, *line, change.cost);
    }
  }

  void explain() {
    text_ += report::wrapped(
        std::string("* fits. Peak: most memory allocated. Needs: most memory reserved by the allocator, plus "
                    "the context; saves refers to needs.") +
            (advice_.base.measured.step_ns ? " Time: modelled device time of a step, from the card's peak "
                                             "rates, relative to the training as it is; nothing was timed."
                                           : ""),
        0, kAdviceWidth);
  }

  // For changes that save memory; those of a configuration are keys, which the command contains.
  void add_settings() {
    bool is_first = true;
    for (const Line& line : advice_.alone) {
      const Change& change = changes_[line.changes.front()];
      if (change.write.empty() || !saves(line)) continue;
      if (is_first) text_ += "\nWhat to write\n";
      is_first = false;
      text_ += fmt::format("  {}\n    {}\n", change.name, change.write);
    }
  }

  void report_refused() {
    if (advice_.refused.empty()) return;
    text_ += "\nNot tried, or without effect\n";
    for (const Refusal& refusal : advice_.refused) {
      const std::string problem = refusal.problem.substr(0, refusal.problem.find('\n'));
      text_ +=
          report::wrapped(fmt::format("{}: {}", changes_[refusal.change].name, problem), 2, kAdviceWidth);
    }
  }

  void add_command(const Selection& changes) {
    if (const std::string command = command_(changes, On::kCard); !command.empty())
      text_ += fmt::format("  {}\n", command);
  }

  void conclude() {
    if (advice_.base.fits) {
      text_ += "\nIt fits as it is:\n";
      add_command({});
    } else if (advice_.least) {
      std::string names;
      for (const std::size_t index : advice_.least->changes)
        names += (names.empty() ? "" : ", ") + changes_[index].name;
      text_ += "\n" + report::wrapped("Smallest change that makes it fit: " + names, 0, kAdviceWidth);
      for (const std::size_t index : advice_.least->changes) {
        if (!changes_[index].write.empty()) text_ += fmt::format("  {}\n", changes_[index].write);
      }
      add_command(advice_.least->changes);
    } else {
      text_ +=
          "\n"
          "None of these makes it fit. Use `strata fit` to find the largest model, context or batch that "
          "fits.\n";
    }
  }

  const std::vector<Change>& changes_;
  const AdvisedDevice& device_;
  const Advice& advice_;
  const CommandOf& command_;
  std::string text_;
};

Json change_json(const Change& change) {
  return {{"name", change.name},
          {"overrides", change.overrides},
          {"allocator_settings", change.allocator_settings},
          {"write", change.write},
          {"same_mathematics", change.effect == Effect::kSameMathematics},
          {"cost", change.cost}};
}

Json line_json(const std::vector<Change>& changes, const Line& line, const CommandOf& command,
               On on = On::kRoomyCard) {
  Json json{{"changes", Json::array()}};
  for (const std::size_t index : line.changes) json["changes"].push_back(change_json(changes[index]));
  json["allocated_bytes"] = line.measured.allocated_bytes;
  json["reserved_bytes"] = line.measured.reserved_bytes;
  json["needed_bytes"] = line.measured.needed_bytes;
  json["modelled_step_ns"] = line.measured.step_ns ? Json(*line.measured.step_ns) : Json(nullptr);
  json["fits"] = line.fits;
  const std::string repeats = command(line.changes, on);
  json["command"] = repeats.empty() ? Json(nullptr) : Json(repeats);
  return json;
}

}  // namespace

std::string advice_text(const std::vector<Change>& changes, const AdvisedDevice& device, const Advice& advice,
                        const CommandOf& command) {
  return AdviceText(changes, device, advice, command).text();
}

Json advice_json(const std::vector<Change>& changes, const AdvisedDevice& device, const Advice& advice,
                 const CommandOf& command) {
  const auto lines = [&](const std::vector<Line>& all) {
    Json json = Json::array();
    for (const Line& line : all) json.push_back(line_json(changes, line, command));
    return json;
  };
  const auto one = [&](const std::optional<Line>& line, On on) {
    return line ? line_json(changes, *line, command, on) : Json(nullptr);
  };
  Json refused = Json::array();
  for (const Refusal& refusal : advice.refused)
    refused.push_back({{"name", changes[refusal.change].name}, {"reason", refusal.problem}});
  return {{"schema", "strata.advice/1"},
          {"device", device.device},
          {"card", device.card},
          {"memory_bytes", device.memory_bytes},
          {"base", line_json(changes, advice.base, command)},
          {"alone", lines(advice.alone)},
          {"refused", std::move(refused)},
          {"together", lines(advice.together)},
          {"all", one(advice.all, On::kRoomyCard)},
          {"least", one(advice.least, On::kCard)}};
}

}  // namespace strata::what_if
