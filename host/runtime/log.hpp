// SPDX-License-Identifier: Apache-2.0
// The host's log: whole lines on stderr, never on stdout, coloured only on a terminal. STRATA_VERBOSE=1 also
// shows debug lines. Any thread, but not under an allocator's lock.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata {

// Writes one line. `severity` is STRATA_LOG_* of strata/ext/log.h; `origin` is the plugin's id, or empty for
// the host.
void write_log(std::uint32_t severity, std::string_view origin, std::string_view text) noexcept;

// Whether STRATA_VERBOSE requests the details of loading and debug lines.
bool verbose() noexcept;

}  // namespace strata
