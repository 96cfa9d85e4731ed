// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/plugin_instance.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <utility>

#include "host/runtime/events/thread_state.hpp"
#include "host/runtime/log.hpp"
#include "strata/ext/log.h"

namespace strata {

PluginInstance::PluginInstance(std::shared_ptr<PluginFile> file, const strata_descriptor& descriptor,
                               OptionValues options, HostParts& parts, HangWatch& hangs)
    : file_(std::move(file)),
      descriptor_(descriptor),
      options_(std::move(options)),
      host_(parts, *this),
      hangs_(hangs) {}

bool PluginInstance::start() {
  std::string failure;
  try {
    failure = initialise_file();
    if (failure.empty()) failure = create();
  } catch (const std::exception& error) {
    failure = fmt::format("it threw an exception across the ABI: {}", error.what());
  } catch (...) {
    failure = "it threw an exception across the ABI";
  }
  if (failure.empty()) return true;
  const std::lock_guard lock(reason_mutex_);
  disabled_reason_ = std::move(failure);
  return false;
}

std::string PluginInstance::initialise_file() {
  const HangWatch::Call call(hangs_, id(), "init");
  return file_->initialise();
}

// Returns the reason of a failure, else "".
std::string PluginInstance::create() {
  const HangWatch::Call call(hangs_, id(), "create");
  std::array<char, 512> reason{};
  strata_plugin* created = file_->entry().create(&host_, descriptor_.id, reason.data(), reason.size());
  reason.back() = '\0';
  if (created == nullptr)
    return reason.front() != '\0' ? reason.data() : "create returned no plugin and gave no reason";
  if (!STRATA_HAS_FIELD(strata_plugin, created, destroy) || created->listener == nullptr ||
      created->destroy == nullptr) {
    return fmt::format(
        "create returned an incomplete plugin: struct_size is {}, ABI 1.0 has {} bytes, and no function may "
        "be null",
        created->struct_size, sizeof(strata_plugin));
  }
  plugin_ = created;
  listeners_ = ask_listeners(*created);
  listeners_.id = descriptor_.id;
  listeners_.whole_run = (descriptor_.flags & STRATA_DESCRIPTOR_WHOLE_RUN) != 0;
  listeners_.source = is_source();
  listeners_.faults = &faults_;
  listeners_.gave_up = &gave_up_;
  return "";
}

void PluginInstance::destroy() noexcept {
  strata_plugin* plugin = std::exchange(plugin_, nullptr);
  if (plugin == nullptr) return;
  try {
    const HangWatch::Call call(hangs_, id(), "destroy");
    plugin->destroy(plugin);
  } catch (...) {
    report_fault("destroy threw an exception across the ABI");
  }
}

void PluginInstance::deinitialise_file() noexcept {
  try {
    const HangWatch::Call call(hangs_, id(), "deinit");
    file_->deinitialise();
  } catch (...) {
    report_fault("deinit threw an exception across the ABI");
  }
}

void PluginInstance::report_fault(std::string_view text) noexcept {
  faults_.fetch_add(1, std::memory_order_relaxed);
  const ThreadState* thread = this_thread_if_any();
  if (thread != nullptr && thread->under_allocator != 0) return;
  write_log(STRATA_LOG_PLUGIN_MISBEHAVING, id(), text);
  const std::lock_guard lock(reason_mutex_);
  last_fault_ = text;
}

void PluginInstance::give_up(std::string_view reason) noexcept {
  if (gave_up_.exchange(true)) return;
  write_log(STRATA_LOG_ERROR, id(), fmt::format("failed, and the run continues without it: {}", reason));
  const std::lock_guard lock(reason_mutex_);
  failed_reason_ = reason;
}

PluginStatus PluginInstance::status() const {
  PluginStatus status;
  status.id = descriptor_.id;
  status.version = descriptor_.version;
  status.path = file_->path().string();
  status.source = is_source();
  status.faults = faults_.load(std::memory_order_relaxed);
  const std::lock_guard lock(reason_mutex_);
  if (!disabled_reason_.empty()) {
    status.status = "disabled";
    status.reason = disabled_reason_;
  } else if (gave_up_.load()) {
    status.status = "failed";
    status.reason = failed_reason_;
  } else if (status.faults >= kFaultLimit) {
    status.status = "failed";
    status.reason = fmt::format("switched off after {} faults; the last: {}", status.faults,
                                last_fault_.empty() ? "an exception thrown across the ABI" : last_fault_);
  } else {
    status.status = "ok";
  }
  return status;
}

}  // namespace strata
