// SPDX-License-Identifier: Apache-2.0
// c10's own memory reporting, written down beside our events so that the two can be compared: an independent
// count of every block, by other code under another lock.
//
// c10 reports to threads that carry the driver's debug information (the driver and autograd's threads); its
// running total counts every thread, because the switch for that is set for the run. A row of the table
// `memory_report` names the event of ours that tells of the same block: so the source listens to its own
// events and takes their sequence numbers.
#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <thread>

#include "strata/ext/memory.h"
#include "strata/host.hpp"

namespace strata::torch_source {

class MemoryReport {
 public:
  // [loop-thread] Declares the table. Throws std::runtime_error when the host keeps none.
  explicit MemoryReport(const Host& host);
  MemoryReport(const MemoryReport&) = delete;
  MemoryReport& operator=(const MemoryReport&) = delete;

  // [loop-thread] From here on c10 reports. To be called before the allocator is traced.
  void begin();
  // [loop-thread] Idempotent. Called on another thread than `begin`, it leaves that thread's registration in
  // place, silent.
  void end();

  // [alloc-lock] Every event of this source, on the thread that made it.
  void on_memory(const strata_when& when, const strata_memory_event& memory);

 private:
  class Reporting;

  std::shared_ptr<Reporting> reporting_;  // shared with the threads that c10 hands it on to
  std::unique_ptr<c10::DebugInfoGuard> registration_;
  std::thread::id registered_by_;
  bool counted_all_threads_before_ = false;
};

}  // namespace strata::torch_source
