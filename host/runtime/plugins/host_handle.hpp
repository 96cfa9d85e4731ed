// SPDX-License-Identifier: Apache-2.0
// The object behind a plugin's `const strata_host*`: the caller's identity, and the parts of the session that
// the services use.
#pragma once

#include <atomic>

#include "host/runtime/events/fan_out.hpp"
#include "strata/host.h"

namespace strata {

class Artifacts;
class ClockSamples;
class LoopThread;
class LoopInference;
class Names;
class PluginInstance;
class Store;
class WindowSchedule;

// The parts of one session used by services. All outlive every handle. A session without a directory has no
// store and no artifacts; one with a marked loop has no inference.
struct HostParts {
  FanOut& fan_out;
  LoopThread& loop_thread;
  Names& names;
  const WindowSchedule& schedule;
  ClockSamples& clock;
  Store* store = nullptr;
  Artifacts* artifacts = nullptr;
  LoopInference* inference = nullptr;
  std::atomic<bool> disarmed{false};  // in a forked child: services have no effect
};

struct HostHandle : strata_host {
  HostHandle(HostParts& parts, PluginInstance& plugin);
  HostHandle(const HostHandle&) = delete;
  HostHandle& operator=(const HostHandle&) = delete;

  static HostHandle& of(const strata_host* host) noexcept {
    return *const_cast<HostHandle*>(static_cast<const HostHandle*>(host));
  }

  FanOut& fan_out;  // first member: a source accesses it at every event
  HostParts& parts;
  PluginInstance& plugin;
};

// The service table with that id (strata.log/1 ...); null if there is none or this plugin may not have it.
const void* find_service(const HostHandle& host, const char* id) noexcept;

}  // namespace strata
