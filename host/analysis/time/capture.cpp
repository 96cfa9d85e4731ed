// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/time/capture.hpp"

#include <fmt/format.h>

#include <string_view>

namespace strata::analysis {
namespace {

void add(std::string& list, std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 0) return;
  list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, count == 1 ? one : many);
}

std::string missing(const Capture& capture) {
  std::string list;
  add(list, capture.dropped, "record dropped", "records dropped");
  add(list, capture.refused_buffers, "buffer refused", "buffers refused");
  add(list, capture.broken_buffers, "buffer unreadable", "buffers unreadable");
  add(list, capture.late_buffers, "buffer too late", "buffers too late");
  add(list, capture.skipped_bytes, "byte skipped", "bytes skipped");
  add(list, capture.without_times, "record without times", "records without times");
  return list;
}

std::string unplaced(const Capture& capture) {
  std::string list;
  add(list, capture.without_call, "activity without its call", "activities without their calls");
  add(list, capture.lost_origins, "origin lost", "origins lost");
  return list;
}

}  // namespace

std::vector<std::string> capture_warnings(const std::vector<Capture>& captures) {
  std::vector<std::string> warnings;
  for (const Capture& capture : captures) {
    if (!capture.reason.empty() && capture.activities == 0)
      warnings.push_back("what devices did was not recorded: " + capture.reason);
    if (const std::string list = missing(capture); !list.empty()) {
      const bool lacks_room = capture.dropped > 0 || capture.refused_buffers > 0;
      warnings.push_back(fmt::format(
          "incomplete: {}, beside {} that were kept: kernels and copies are missing from these tables{}",
          list, capture.activities,
          lacks_room ? "; cupti.buffers and cupti.buffer_bytes make room for more" : ""));
    }
    if (const std::string list = unplaced(capture); !list.empty())
      warnings.push_back(
          fmt::format("{} of {}: they are of no operator, phase and module here", list, capture.activities));
  }
  return warnings;
}

}  // namespace strata::analysis
