// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/capture_warnings.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace strata::report {
namespace {

using analysis::Capture;

void add_counted(std::string& list, std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 0) return;
  list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, count == 1 ? one : many);
}

std::string missing_records(const Capture& capture) {
  std::string list;
  add_counted(list, capture.dropped, "record dropped", "records dropped");
  add_counted(list, capture.refused_buffers, "buffer refused", "buffers refused");
  add_counted(list, capture.broken_buffers, "buffer unreadable", "buffers unreadable");
  add_counted(list, capture.late_buffers, "buffer too late", "buffers too late");
  add_counted(list, capture.skipped_bytes, "byte skipped", "bytes skipped");
  add_counted(list, capture.without_times, "record without times", "records without times");
  return list;
}

std::string unplaced_activities(const Capture& capture) {
  std::string list;
  add_counted(list, capture.without_call, "activity without its call", "activities without their calls");
  add_counted(list, capture.lost_origins, "origin lost", "origins lost");
  return list;
}

void add_incomplete(const Capture& capture, std::vector<std::string>& warnings) {
  if (const std::string list = missing_records(capture); !list.empty()) {
    const bool lacks_room = capture.dropped > 0 || capture.refused_buffers > 0;
    warnings.push_back(fmt::format(
        "incomplete: {}, beside {} that were kept: kernels and copies are missing from these tables{}", list,
        capture.activities, lacks_room ? "; cupti.buffers and cupti.buffer_bytes make room for more" : ""));
  }
  if (const std::string list = unplaced_activities(capture); !list.empty())
    warnings.push_back(
        fmt::format("{} of {}: they are of no operator, phase and module here", list, capture.activities));
}

}  // namespace

std::vector<std::string> capture_warnings(const std::vector<Capture>& captures) {
  std::vector<std::string> warnings;
  for (const Capture& capture : captures) {
    if (!capture.reason.empty() && capture.activities == 0)
      warnings.push_back("what devices did was not recorded: " + capture.reason);
    add_incomplete(capture, warnings);
  }
  return warnings;
}

std::vector<std::string> incomplete_captures(const std::vector<Capture>& captures) {
  std::vector<std::string> warnings;
  for (const Capture& capture : captures) add_incomplete(capture, warnings);
  return warnings;
}

}  // namespace strata::report
