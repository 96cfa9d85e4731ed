// SPDX-License-Identifier: Apache-2.0
// The device events that a test plugin received. The test passes the address of a sink as an
// option.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "strata/ext/activity.h"

namespace strata::test {

struct HeardActivity {
  std::string name;
  strata_activity_event event;
  strata_when when;
};

class ActivitySink {
 public:
  void write(HeardActivity heard) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::move(heard));
  }
  std::vector<HeardActivity> all() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  // Those of one STRATA_ACTIVITY_*, in order of arrival.
  std::vector<HeardActivity> of(std::uint32_t kind) const {
    std::vector<HeardActivity> found;
    for (const HeardActivity& heard : all()) {
      if (heard.event.kind == kind) found.push_back(heard);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<HeardActivity> heard_;
};

}  // namespace strata::test
