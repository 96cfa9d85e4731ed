// SPDX-License-Identifier: Apache-2.0
// The status of a cell of a grid.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace strata::grid {

enum class Status {
  kPlanned,
  kRunning,
  kOk,
  kOutOfMemory,  // of its device: counts as a result
  kFailed,
  kTimeout,  // ended by the grid after limits.timeout
  kSkipped,  // a smaller cell ran out of memory
  kLost      // ended by an external event: a kill, a reboot, a full disk
};

inline constexpr std::array kStatuses{Status::kPlanned,     Status::kRunning, Status::kOk,
                                      Status::kOutOfMemory, Status::kFailed,  Status::kTimeout,
                                      Status::kSkipped,     Status::kLost};

// "planned", "running", "ok", "oom", "failed", "timeout", "skipped", "lost".
std::string_view name_of(Status status);
std::optional<Status> status_named(std::string_view name);

// A property of the configuration that would be the same next time: only run again on request.
constexpr bool is_result(Status status) {
  return status == Status::kOk || status == Status::kOutOfMemory || status == Status::kSkipped;
}

// Final for this run of the grid.
constexpr bool is_over(Status status) {
  return is_result(status) || status == Status::kFailed || status == Status::kTimeout;
}

}  // namespace strata::grid
