// SPDX-License-Identifier: Apache-2.0
// The results for the changes, as text and as JSON.
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
  std::string card;    // as reported by the driver
  std::uint64_t memory_bytes = 0;
};

// The command that runs a line: on the card, or, as in the measurement, on one with unlimited memory. Empty
// if there is none, because the changes must be made by hand.
enum class On { kCard, kRoomyCard };
using CommandOf = std::function<std::string(const Selection&, On)>;

// Lines of 80 columns, except for commands and code to write.
std::string advice_text(const std::vector<Change>& changes, const AdvisedDevice& device, const Advice& advice,
                        const CommandOf& command);

// strata.advice/1, docs/fit.md.
nlohmann::ordered_json advice_json(const std::vector<Change>& changes, const AdvisedDevice& device,
                                   const Advice& advice, const CommandOf& command);

}  // namespace strata::what_if
