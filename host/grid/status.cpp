// SPDX-License-Identifier: Apache-2.0
#include "host/grid/status.hpp"

namespace strata::grid {

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kPlanned:
      return "planned";
    case Status::kRunning:
      return "running";
    case Status::kOk:
      return "ok";
    case Status::kOutOfMemory:
      return "oom";
    case Status::kFailed:
      return "failed";
    case Status::kTimeout:
      return "timeout";
    case Status::kSkipped:
      return "skipped";
    case Status::kLost:
      return "lost";
  }
  return "planned";
}

std::optional<Status> status_named(std::string_view name) {
  for (const Status status : kStatuses) {
    if (name_of(status) == name) return status;
  }
  return std::nullopt;
}

}  // namespace strata::grid
