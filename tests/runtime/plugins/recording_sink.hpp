// SPDX-License-Identifier: Apache-2.0
// How a test plugin passes its events to the test: the test passes the address of a sink as an option.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "strata/events.h"
#include "strata/ext/emit.h"

namespace strata {

struct Heard {
  std::string plugin;
  std::string what;  // "begin_phase forward 2"
  strata_when when;
  std::uint64_t token;  // received at the end
};

// Shared by the test and its plugins. Compiled into both, so it has no virtual functions and no inline
// variables.
class RecordingSink {
 public:
  void write(Heard heard) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(std::move(heard));
  }

  std::vector<Heard> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

  // The events of `plugin`, in order; if it is empty, those of every plugin as "plugin: what".
  std::vector<std::string> texts(const std::string& plugin = "") const {
    std::vector<std::string> texts;
    for (const Heard& one : heard()) {
      if (plugin.empty()) texts.push_back(one.plugin + ": " + one.what);
      if (plugin == one.plugin) texts.push_back(one.what);
    }
    return texts;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    heard_.clear();
  }

  // Keeps each thread that delivers a memory event inside it while `held`.
  void pass() {
    while (held.load()) {
      is_inside.store(true);
      std::this_thread::yield();
    }
  }
  std::atomic<bool> held{false};
  std::atomic<bool> is_inside{false};

  // Called by a plugin when it is created.
  void (*created)() = nullptr;

  // Set by a source when it is created: the test emits with these.
  const strata_host* source_host = nullptr;
  const strata_emit_service* emit = nullptr;
  std::uint32_t interest_in_window = 0;  // the source's answer at that time
  // Whether the source `emitter` emits an activity when it is flushed.
  bool holds_activity = false;

 private:
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
};

}  // namespace strata
