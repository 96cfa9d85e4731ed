// SPDX-License-Identifier: Apache-2.0
// How a plugin of the tests tells its test what it heard: the test passes the address of a sink as an option.
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
  std::uint64_t token;  // that an end was given
};

// What the test and its plugins share. Built into both, so it holds no virtual function and no inline
// variable.
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

  // What `plugin` heard, in order; of every plugin as "plugin: what" when it is empty.
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

  // Keeps whoever hears a memory event inside it while `held`.
  void pass() {
    while (held.load()) {
      is_inside.store(true);
      std::this_thread::yield();
    }
  }
  std::atomic<bool> held{false};
  std::atomic<bool> is_inside{false};

  // What a plugin calls when it is created.
  void (*created)() = nullptr;

  // Filled in by a source when it is created: what the test emits with.
  const strata_host* source_host = nullptr;
  const strata_emit_service* emit = nullptr;
  std::uint32_t interest_in_window = 0;  // as the source was told then
  // Whether the source `emitter` has an activity to tell of when it is flushed.
  bool holds_activity = false;

 private:
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
};

}  // namespace strata
