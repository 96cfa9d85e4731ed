// SPDX-License-Identifier: Apache-2.0
// Messages between a dry process and the one that has opened the real cuDNN: texts preceded by their length.
// A message that is late, too long or truncated is rejected.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace strata::dry_gpu::real_cudnn {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr std::size_t kMostMessageBytes = std::size_t{4} << 20;

// Over a connected stream socket. Never raises SIGPIPE. False if the other side is gone, or did not read it
// in time.
bool send_message(int socket, std::string_view message, Deadline deadline);
std::optional<std::string> receive_message(int socket, Deadline deadline);

// A request is a line followed by an operation graph (description.hpp). "graph MODE" requests configurations;
// the answer is "configurations" and a line for each. "plan MODE PLACE" requests the plan of one of them; the
// answer is "plan BYTES". Every refusal begins with "no".
inline constexpr std::string_view kProtocol = "strata.cudnn/2";
inline constexpr std::string_view kReady = "ready", kNo = "no", kGraph = "graph", kPlan = "plan",
                                  kConfigurations = "configurations";

}  // namespace strata::dry_gpu::real_cudnn
