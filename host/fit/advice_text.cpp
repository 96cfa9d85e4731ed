// SPDX-License-Identifier: Apache-2.0
#include "host/fit/advice_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::fit {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kName = 30, kCost = 22, kAdviceWidth = 80;

class AdviceText {
 public:
  AdviceText(const std::vector<Switch>& switches, const AdvisedDevice& device, const Advice& advice,
             const CommandOf& command)
      : switches_(switches), device_(device), advice_(advice), command_(command) {}

  std::string text() {
    const Measurement& base = advice_.base.measured;
    text_ = fmt::format("On a dry {}, {:.2f} GiB. In MiB (2^20 bytes):\n\n", device_.card,
                        static_cast<double>(device_.memory_bytes) / 0x1p30);
    text_ += fmt::format("{:<{}}{:>9}{:>9}{:>8}  {}\n", "", kName, "needs", "saves", "time", "what it costs");
    row("as it is", advice_.base, "");
    section("The same training, one change at a time", Effect::kSameMathematics);
    if (advice_.together.size() > 1) {
      text_ += "\nOne after the other, what saved most first\n";
      for (const Line& line : advice_.together) row(last_name(line), line, "");
    }
    section("Another training, one change at a time", Effect::kOtherMathematics);
    if (advice_.all) {
      text_ += "\nAll of these that save something\n";
      row(fmt::format("{} changes", advice_.all->switches.size()), *advice_.all, "");
    }
    text_ += '\n';
    explain(base.step_ns.has_value());
    conclude();
    return std::move(text_);
  }

 private:
  std::string last_name(const Line& line) const {
    return (line.switches.size() > 1 ? "+ " : "") + switches_[line.switches.back()].name;
  }

  // "*" where it fits; what it takes, saves and costs.
  void row(const std::string& name, const Line& line, const std::string& cost) {
    const Measurement& base = advice_.base.measured;
    const auto amount = [](std::uint64_t bytes) { return report::mebibytes(static_cast<double>(bytes), 0); };
    const bool saves = line.measured.needed_bytes <= base.needed_bytes;
    const std::string saved = line.switches.empty() ? ""
                              : saves               ? amount(base.needed_bytes - line.measured.needed_bytes)
                                      : "-" + amount(line.measured.needed_bytes - base.needed_bytes);
    std::string time;
    if (base.step_ns && line.measured.step_ns && *base.step_ns > 0)
      time = fmt::format("{:.2f}", *line.measured.step_ns / *base.step_ns);
    text_ += fmt::format("{} {}{:>9}{:>9}{:>8}", line.fits ? '*' : ' ', report::fitted(name, kName - 2),
                         amount(line.measured.needed_bytes), saved, time);
    text_ += cost.empty() ? "\n" : "  " + report::shortened(cost, kCost) + "\n";
  }

  void section(const std::string& title, Effect effect) {
    std::vector<const Line*> lines;
    for (const Line& line : advice_.alone) {
      if (switches_[line.switches.front()].effect == effect) lines.push_back(&line);
    }
    if (lines.empty()) return;
    std::ranges::stable_sort(lines, {}, [](const Line* line) { return line->measured.needed_bytes; });
    text_ += "\n" + title + "\n";
    for (const Line* const line : lines) {
      const Switch& change = switches_[line->switches.front()];
      row(change.name, *line, change.cost);
    }
  }

  void explain(bool has_time) {
    text_ += report::wrapped(
        std::string("* fits. Needs: what the allocator reserves at most, and the context.") +
            (has_time ? " Time: of the device for a step, by the card's peak rates, to that of the "
                        "configuration as it is; nothing was measured."
                      : ""),
        0, kAdviceWidth);
  }

  void conclude() {
    if (advice_.base.fits) {
      text_ += "\nIt fits as it is:\n";
      text_ += fmt::format("  {}\n", command_({}, On::kCard));
    } else if (advice_.least) {
      std::string names;
      for (const std::size_t index : advice_.least->switches)
        names += (names.empty() ? "" : ", ") + switches_[index].name;
      text_ += "\n" + report::wrapped("Least that makes it fit: " + names, 0, kAdviceWidth);
      text_ += fmt::format("  {}\n", command_(advice_.least->switches, On::kCard));
    } else {
      text_ +=
          "\nNone of these makes it fit. See `strata fit` for the largest model, context or batch that "
          "does.\n";
    }
  }

  const std::vector<Switch>& switches_;
  const AdvisedDevice& device_;
  const Advice& advice_;
  const CommandOf& command_;
  std::string text_;
};

Json line_json(const std::vector<Switch>& switches, const Line& line, const CommandOf& command,
               On on = On::kRoomyCard) {
  Json json{{"changes", Json::array()}};
  for (const std::size_t index : line.switches) {
    const Switch& change = switches[index];
    json["changes"].push_back({{"name", change.name},
                               {"overrides", change.overrides},
                               {"allocator_settings", change.allocator_settings},
                               {"same_mathematics", change.effect == Effect::kSameMathematics},
                               {"cost", change.cost}});
  }
  json["allocated_bytes"] = line.measured.allocated_bytes;
  json["reserved_bytes"] = line.measured.reserved_bytes;
  json["needed_bytes"] = line.measured.needed_bytes;
  json["modelled_step_ns"] = line.measured.step_ns ? Json(*line.measured.step_ns) : Json(nullptr);
  json["fits"] = line.fits;
  json["command"] = command(line.switches, on);
  return json;
}

}  // namespace

std::string advice_text(const std::vector<Switch>& switches, const AdvisedDevice& device,
                        const Advice& advice, const CommandOf& command) {
  return AdviceText(switches, device, advice, command).text();
}

Json advice_json(const std::vector<Switch>& switches, const AdvisedDevice& device, const Advice& advice,
                 const CommandOf& command) {
  const auto lines = [&](const std::vector<Line>& all) {
    Json json = Json::array();
    for (const Line& line : all) json.push_back(line_json(switches, line, command));
    return json;
  };
  const auto one = [&](const std::optional<Line>& line, On on) {
    return line ? line_json(switches, *line, command, on) : Json(nullptr);
  };
  return {{"schema", "strata.advice/1"},
          {"device", device.device},
          {"card", device.card},
          {"memory_bytes", device.memory_bytes},
          {"base", line_json(switches, advice.base, command)},
          {"alone", lines(advice.alone)},
          {"together", lines(advice.together)},
          {"all", one(advice.all, On::kRoomyCard)},
          {"least", one(advice.least, On::kCard)}};
}

}  // namespace strata::fit
