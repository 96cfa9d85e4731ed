// SPDX-License-Identifier: Apache-2.0
// What was found out about the changes, as text and as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/what_if/advice.hpp"

namespace strata::what_if {

struct AdvisedDevice {
  std::string device;  // the profile's name: rtx-4090
  std::string card;    // as the driver tells it
  std::uint64_t memory_bytes = 0;
};

// The command that runs a line: on the card, or on one that never fills up, as it was measured. Empty: there
// is none, for the changes are made by hand.
enum class On { kCard, kRoomyCard };
using CommandOf = std::function<std::string(const Selection&, On)>;

// In lines of 80 columns, but for commands and what is to be written.
std::string advice_text(const std::vector<Change>& changes, const AdvisedDevice& device, const Advice& advice,
                        const CommandOf& command);

// strata.advice/1, docs/fit.md.
nlohmann::ordered_json advice_json(const std::vector<Change>& changes, const AdvisedDevice& device,
                                   const Advice& advice, const CommandOf& command);

}  // namespace strata::what_if
