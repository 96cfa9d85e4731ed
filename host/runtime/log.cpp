// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "strata/ext/log.h"

namespace strata {
namespace {

// Never destroyed: plugins may log while the process exits, after static objects are gone.
spdlog::logger& logger() {
  static spdlog::logger& instance = *[] {
    auto* made = new spdlog::logger(  // NOLINT(cppcoreguidelines-owning-memory): leaked on purpose, see above
        "strata", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(spdlog::color_mode::automatic));
    made->set_pattern("strata: %^%l%$: %v");
    made->set_level(verbose() ? spdlog::level::debug : spdlog::level::info);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return instance;
}

spdlog::level::level_enum level_of(std::uint32_t severity) {
  switch (severity) {
    case STRATA_LOG_DEBUG:
      return spdlog::level::debug;
    case STRATA_LOG_INFO:
      return spdlog::level::info;
    case STRATA_LOG_WARNING:
      return spdlog::level::warn;
    default:
      return spdlog::level::err;
  }
}

std::string_view accusation_of(std::uint32_t severity) {
  switch (severity) {
    case STRATA_LOG_HOST_MISBEHAVING:
      return "HOST_MISBEHAVING: ";
    case STRATA_LOG_PLUGIN_MISBEHAVING:
      return "PLUGIN_MISBEHAVING: ";
    default:
      return "";
  }
}

}  // namespace

bool verbose() noexcept {
  const char* const value = secure_getenv("STRATA_VERBOSE");
  const std::string_view text = value == nullptr ? "" : value;
  return !text.empty() && text != "0";
}

void write_log(std::uint32_t severity, std::string_view origin, std::string_view text) noexcept {
  try {
    if (origin.empty()) {
      logger().log(level_of(severity), "{}{}", accusation_of(severity), text);
    } else {
      logger().log(level_of(severity), "[{}] {}{}", origin, accusation_of(severity), text);
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is no place left to report that the log is broken
  }
}

}  // namespace strata
