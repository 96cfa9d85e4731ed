// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/checkpointing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "host/config/nearest.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kCheckpointingKey = "checkpointing";
constexpr std::array<std::string_view, 4> kCheckpointingKeys = {"every", "select", "reentrant", "offload"};
constexpr std::string_view kAttention = "attention";
constexpr std::string_view kFeedForward = "mlp";

class CheckpointingReader {
 public:
  CheckpointingReader(const WrittenValue& value, std::vector<Problem>& problems)
      : value_(value), problems_(problems) {}

  std::optional<CheckpointingConfig> read() {
    if (value_.node.IsMap()) return mapping();
    const std::string word = value_.node.IsScalar() ? value_.node.Scalar() : std::string();
    if (word == "none") return CheckpointingConfig{};
    if (word == "block") return CheckpointingConfig{.part = CheckpointedPart::kBlocks};
    refuse();
    return std::nullopt;
  }

 private:
  std::optional<CheckpointingConfig> mapping() {
    CheckpointingConfig checkpointing;
    bool sound = true;
    for (const auto& entry : value_.node) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      const Place place = place_of(entry.second, value_.place);
      if (name == "every") {
        sound = read_every(entry.second, place, checkpointing) && sound;
      } else if (name == "select") {
        sound = read_select(entry.second, place, checkpointing) && sound;
      } else if (name == "reentrant") {
        sound = read_flag(entry.second, place, name, checkpointing.reentrant) && sound;
      } else if (name == "offload") {
        sound = read_flag(entry.second, place, name, checkpointing.offload) && sound;
      } else {
        sound = problem(place_of(entry.first, value_.place), name,
                        fmt::format("unknown key{}; expected {}", did_you_mean(name, kCheckpointingKeys),
                                    fmt::join(kCheckpointingKeys, ", ")));
      }
    }
    if (sound && value_.node["every"] && value_.node["select"]) {
      sound = problem(place_of(value_.node["select"], value_.place), "select",
                      "cannot be combined with every; remove one of them");
    }
    if (sound && checkpointing.reentrant && checkpointing.offload) {
      sound = problem(
          place_of(value_.node["offload"], value_.place), "offload",
          "cannot be combined with reentrant: true, because autograd holds its inputs; remove one of them");
    }
    if (sound && checkpointing.part == CheckpointedPart::kNone) {
      refuse();
      sound = false;
    }
    return sound ? std::optional(checkpointing) : std::nullopt;
  }

  bool read_every(const YAML::Node& node, const Place& place, CheckpointingConfig& checkpointing) {
    const auto every = node.IsScalar() ? parse_integer(node.Scalar()) : std::nullopt;
    if (!every || *every < 1 || *every > kMostBlocks) {
      return problem(place, "every",
                     fmt::format("expected an integer from 1 to {}, found {}", kMostBlocks, describe(node)));
    }
    checkpointing.part = CheckpointedPart::kBlocks;
    checkpointing.every = *every;
    return true;
  }

  bool read_select(const YAML::Node& node, const Place& place, CheckpointingConfig& checkpointing) {
    const std::string word = node.IsScalar() ? node.Scalar() : std::string();
    if (word != kAttention && word != kFeedForward) {
      return problem(place, "select",
                     fmt::format("expected {} or {}, found {}", kAttention, kFeedForward, describe(node)));
    }
    checkpointing.part = word == kAttention ? CheckpointedPart::kAttention : CheckpointedPart::kFeedForward;
    return true;
  }

  bool read_flag(const YAML::Node& node, const Place& place, std::string_view name, bool& flag) {
    const auto read = node.IsScalar() ? parse_flag(node.Scalar()) : std::nullopt;
    if (!read) return problem(place, name, fmt::format("expected true or false, found {}", describe(node)));
    flag = *read;
    return true;
  }

  bool problem(const Place& place, std::string_view name, std::string message) {
    problems_.push_back({place, fmt::format("{}.{}", kCheckpointingKey, name), std::move(message)});
    return false;
  }

  void refuse() {
    problems_.push_back({value_.place, std::string(kCheckpointingKey),
                         fmt::format("expected {}, found {}", expectation(find_key(kCheckpointingKey)->type),
                                     describe(value_.node))});
  }

  const WrittenValue& value_;
  std::vector<Problem>& problems_;
};

}  // namespace

std::optional<CheckpointingConfig> read_checkpointing(const WrittenValue& value,
                                                      std::vector<Problem>& problems) {
  return CheckpointingReader(value, problems).read();
}

std::string to_text(const CheckpointingConfig& checkpointing) {
  const std::string_view how = checkpointing.reentrant ? ", reentrant: true"
                               : checkpointing.offload ? ", offload: true"
                                                       : "";
  switch (checkpointing.part) {
    case CheckpointedPart::kNone:
      return "none";
    case CheckpointedPart::kBlocks:
      return fmt::format("{{every: {}{}}}", checkpointing.every, how);
    case CheckpointedPart::kAttention:
      return fmt::format("{{select: {}{}}}", kAttention, how);
    case CheckpointedPart::kFeedForward:
      return fmt::format("{{select: {}{}}}", kFeedForward, how);
  }
  return {};
}

}  // namespace strata::config
