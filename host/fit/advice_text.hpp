// SPDX-License-Identifier: Apache-2.0
// What was found out about the switches, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/fit/advice.hpp"

namespace strata::fit {

struct AdvisedDevice {
  std::string device;  // the profile's name: rtx-4090
  std::string card;    // as the driver tells it
  std::uint64_t memory_bytes = 0;
};

// The command that runs a line, by its switches: on the card, or on one that never fills up, as it was
// measured.
enum class On { kCard, kRoomyCard };
using CommandOf = std::function<std::string(const std::vector<std::size_t>&, On)>;

// In lines of 80 columns, but for commands.
std::string advice_text(const std::vector<Switch>& switches, const AdvisedDevice& device,
                        const Advice& advice, const CommandOf& command);

// strata.advice/1, docs/fit.md.
nlohmann::ordered_json advice_json(const std::vector<Switch>& switches, const AdvisedDevice& device,
                                   const Advice& advice, const CommandOf& command);

}  // namespace strata::fit
