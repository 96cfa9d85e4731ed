// SPDX-License-Identifier: Apache-2.0
// What the run itself knows, written to the host_* tables of the run store (docs/run-store.md): a listener
// like a plugin's, built in, first in load order, over the whole run.
#pragma once

#include <cstdint>

#include "host/runtime/plugins/listener_set.hpp"
#include "host/runtime/recording/recorder_tables.hpp"
#include "strata/ext/step.h"

namespace strata {

class ClockSamples;
class Store;

class Recorder {
 public:
  // Both outlive this. Throws std::invalid_argument when the store refuses a table.
  Recorder(Store& store, ClockSamples& clock) : store_(store), clock_(clock), tables_(store) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Their `self` is this object.
  ListenerSet listeners() noexcept;

 private:
  struct Callbacks;

  // One row of `host_clock`: at the run's begin and end and at the window's edges.
  void sample_clock();

  Store& store_;
  ClockSamples& clock_;
  RecorderTables tables_;
  std::uint32_t last_schedule_ = 0;
  std::uint64_t last_epoch_ = STRATA_NO_EPOCH;
};

}  // namespace strata
