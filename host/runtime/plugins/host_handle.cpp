// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/host_handle.hpp"

#include <fmt/format.h>

#include "host/runtime/plugins/plugin_instance.hpp"

namespace strata {
namespace {

// The plugin requested an option that it never declared. This is its error: report it and return an empty
// value.
template <typename Value>
const Value& value_or_fault(const strata_host* host, const char* key, const char* type, const Value* found,
                            const Value& nothing) noexcept {
  if (found != nullptr) return *found;
  HostHandle::of(host).plugin.report_fault(
      fmt::format("asked for the {} option '{}', which its descriptor does not declare", type,
                  key == nullptr ? "" : key));
  return nothing;
}

const OptionValues& options_of(const strata_host* host) noexcept {
  return HostHandle::of(host).plugin.options();
}

std::int32_t get_flag(const strata_host* host, const char* key) noexcept {
  return value_or_fault(host, key, "flag", options_of(host).flag(key), false) ? 1 : 0;
}

std::int64_t get_integer(const strata_host* host, const char* key) noexcept {
  return value_or_fault(host, key, "integer", options_of(host).integer(key), std::int64_t{0});
}

double get_real(const strata_host* host, const char* key) noexcept {
  return value_or_fault(host, key, "real", options_of(host).real(key), 0.0);
}

const char* get_text(const strata_host* host, const char* key) noexcept {
  static const auto& nothing = *new std::string;  // NOLINT: not destroyed at exit, on purpose
  return value_or_fault(host, key, "text", options_of(host).text(key), nothing).c_str();
}

const void* get_service(const strata_host* host, const char* id) noexcept {
  return id == nullptr ? nullptr : find_service(HostHandle::of(host), id);
}

}  // namespace

HostHandle::HostHandle(HostParts& parts_of_session, PluginInstance& asking)
    : strata_host{sizeof(strata_host), STRATA_ABI_MAJOR, STRATA_ABI_MINOR, this,     STRATA_VERSION,
                  get_service,         get_flag,         get_integer,      get_real, get_text},
      fan_out(parts_of_session.fan_out),
      parts(parts_of_session),
      plugin(asking) {}

}  // namespace strata
