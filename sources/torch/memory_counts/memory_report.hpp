// SPDX-License-Identifier: Apache-2.0
// Records c10's own memory reporting next to our events so that the two can be compared: an independent count
// of every block, by other code under another lock.
//
// c10 reports on threads that carry the driver's debug information (the driver and autograd's threads). Its
// running total counts every thread, because its switch is set for the whole run. A row of the table
// `memory_report` names our event for the same block: so the source listens to its own events to get their
// sequence numbers.
#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <thread>

#include "strata/ext/memory.h"
#include "strata/host.hpp"

namespace strata::torch_source {

class MemoryReport {
 public:
  // [loop-thread] Declares the table. Throws std::runtime_error if the host keeps no store.
  explicit MemoryReport(const Host& host);
  MemoryReport(const MemoryReport&) = delete;
  MemoryReport& operator=(const MemoryReport&) = delete;

  // [loop-thread] c10 reports from now on. Call before the allocator is traced.
  void begin();
  // [loop-thread] Idempotent. If called on another thread than `begin`, the registration of that thread
  // remains but does nothing.
  void end();

  // [alloc-lock] Every memory event of this source, on the thread that caused it.
  void on_memory(const strata_when& when, const strata_memory_event& memory);

 private:
  class Reporting;

  std::shared_ptr<Reporting> reporting_;  // shared with the threads to which c10 passes it on
  std::unique_ptr<c10::DebugInfoGuard> registration_;
  std::thread::id registered_by_;
  bool counted_all_threads_before_ = false;
};

}  // namespace strata::torch_source
