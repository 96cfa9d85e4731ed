// SPDX-License-Identifier: Apache-2.0
// Messages between a dry process and the one that has opened the real cuDNN: texts, each with its length
// before it. A message that does not come in time, is too long, or ends early is none.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace strata::dry_gpu::real_cudnn {

using Deadline = std::chrono::steady_clock::time_point;

inline constexpr std::size_t kMostMessageBytes = std::size_t{4} << 20;

// Over a connected stream socket. Never raises SIGPIPE. False: the other side is gone, or did not take it in
// time.
bool send_message(int socket, std::string_view message, Deadline deadline);
std::optional<std::string> receive_message(int socket, Deadline deadline);

// A request is a line, and what follows it is an operation graph (description.hpp). "graph MODE" asks for
// configurations, which come as "configurations" and a line each; "plan MODE PLACE" for the plan of one of
// them, which comes as "plan BYTES". "no" begins every refusal.
inline constexpr std::string_view kProtocol = "strata.cudnn/2";
inline constexpr std::string_view kReady = "ready", kNo = "no", kGraph = "graph", kPlan = "plan",
                                  kConfigurations = "configurations";

}  // namespace strata::dry_gpu::real_cudnn
