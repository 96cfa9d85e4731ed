// SPDX-License-Identifier: Apache-2.0
// The plugin's view of its host: strata_host, and the services without a class of their own.
#pragma once

#include <cstdint>
#include <string>

#include "strata/ext/clock.h"
#include "strata/ext/emit.h"
#include "strata/ext/log.h"
#include "strata/ext/thread-check.h"
#include "strata/ext/window.h"
#include "strata/host.h"

namespace strata {

// A view, cheap to copy; valid until the plugin is destroyed.
class Host {
 public:
  explicit Host(const strata_host* host) noexcept
      : host_(host),
        log_(service<strata_log_service>(STRATA_EXT_LOG)),
        clock_(service<strata_clock_service>(STRATA_EXT_CLOCK)),
        window_(service<strata_window_service>(STRATA_EXT_WINDOW)) {}

  const strata_host* abi() const noexcept { return host_; }

  // Any other service by its id; null if this host does not have it.
  template <typename Service>
  const Service* service(const char* id) const noexcept {
    return static_cast<const Service*>(host_->service(host_, id));
  }

  // Options, [loop-thread]: the configured value, or else the descriptor's default.
  bool flag(const char* key) const noexcept { return host_->option_flag(host_, key) != 0; }
  std::int64_t integer(const char* key) const noexcept { return host_->option_integer(host_, key); }
  double real(const char* key) const noexcept { return host_->option_real(host_, key); }
  const char* text(const char* key) const noexcept { return host_->option_text(host_, key); }

  // [any] not [alloc-lock]. One line, without its newline. `severity` is STRATA_LOG_*.
  void log(std::uint32_t severity, const char* line) const noexcept {
    if (log_ != nullptr) log_->write(host_, severity, line);
  }
  void info(const std::string& line) const noexcept { log(STRATA_LOG_INFO, line.c_str()); }
  void warning(const std::string& line) const noexcept { log(STRATA_LOG_WARNING, line.c_str()); }
  void error(const std::string& line) const noexcept { log(STRATA_LOG_ERROR, line.c_str()); }

  // [any] The run's clock, in nanoseconds; 0 if the host has none.
  std::int64_t monotonic_ns() const noexcept { return clock_ == nullptr ? 0 : clock_->monotonic_ns(host_); }

  // [any] Whether the current step is in the active window.
  bool window_active() const noexcept { return window_ != nullptr && window_->active(host_) != 0; }

 private:
  const strata_host* host_;
  const strata_log_service* log_;
  const strata_clock_service* clock_;
  const strata_window_service* window_;
};

}  // namespace strata
