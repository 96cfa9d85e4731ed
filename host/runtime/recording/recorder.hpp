// SPDX-License-Identifier: Apache-2.0
// Writes what the run itself knows to the host_* tables of the run store (docs/run-store.md): a built-in
// listener that works like a plugin's, first in load order, for the whole run.
#pragma once

#include <cstdint>

#include "host/runtime/events/listener_set.hpp"
#include "host/runtime/recording/recorder_tables.hpp"
#include "strata/ext/step.h"

namespace strata {

class ClockSamples;
class Store;

class Recorder {
 public:
  // Both outlive this. Throws std::invalid_argument if the store rejects a table.
  Recorder(Store& store, ClockSamples& clock) : store_(store), clock_(clock), tables_(store) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Their `self` points to this object.
  ListenerSet listeners() noexcept;

 private:
  struct Callbacks;

  // Adds one row to `host_clock`: at the run's begin and end and when the window opens and closes.
  void sample_clock();

  Store& store_;
  ClockSamples& clock_;
  RecorderTables tables_;
  std::uint32_t last_schedule_ = 0;
  std::uint64_t last_epoch_ = STRATA_NO_EPOCH;
};

}  // namespace strata
