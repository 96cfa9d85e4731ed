// SPDX-License-Identifier: Apache-2.0
// One plugin or source of a session, from `create` to `destroy`.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "host/runtime/events/hang_watch.hpp"
#include "host/runtime/events/listener_set.hpp"
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/plugins/option_values.hpp"
#include "host/runtime/plugins/plugin_file.hpp"
#include "strata/runtime/session.hpp"

namespace strata {

class PluginInstance {
 public:
  // `parts`, and `hangs`, which watches how long the plugin's functions take, outlive this. An instance is
  // never freed, because a thread may be using its handle.
  PluginInstance(std::shared_ptr<PluginFile> file, const strata_descriptor& descriptor, OptionValues options,
                 HostParts& parts, HangWatch& hangs);
  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;

  // [loop-thread] Calls `init` of the file, if it was not called yet, then `create`. Returns false if one of
  // them failed; the status is then "disabled", with the plugin's reason.
  bool start();
  // [loop-thread] The plugin's listeners; after `start` succeeded.
  const ListenerSet& listeners() const noexcept { return listeners_; }
  // [loop-thread] Once; no effect if the plugin was not started.
  void destroy() noexcept;
  // [loop-thread] After every instance of the file is destroyed.
  void deinitialise_file() noexcept;

  std::string_view id() const noexcept { return descriptor_.id; }
  bool is_source() const noexcept { return (descriptor_.flags & STRATA_DESCRIPTOR_SOURCE) != 0; }
  const OptionValues& options() const noexcept { return options_; }

  // [any] The plugin violated the contract; `text` describes how. Logged, except under an allocator's lock.
  void report_fault(std::string_view text) noexcept;

  // [any] not [alloc-lock]. The plugin reports that it cannot work in this session; the first reason is kept.
  void give_up(std::string_view reason) noexcept;

  // [any]
  PluginStatus status() const;

 private:
  std::string initialise_file();
  std::string create();

  std::shared_ptr<PluginFile> file_;
  const strata_descriptor& descriptor_;
  OptionValues options_;
  HostHandle host_;
  HangWatch& hangs_;
  strata_plugin* plugin_ = nullptr;
  ListenerSet listeners_;
  std::atomic<std::uint64_t> faults_{0};
  std::atomic<bool> gave_up_{false};
  mutable std::mutex reason_mutex_;
  std::string disabled_reason_;
  std::string failed_reason_;
  std::string last_fault_;
};

}  // namespace strata
