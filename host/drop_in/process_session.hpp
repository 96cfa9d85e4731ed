// SPDX-License-Identifier: Apache-2.0
// The one session of a user's process, opened according to STRATA_EXEC by whichever comes first: the preload
// library once torch is loaded, or the program's own first mark.
#pragma once

#include <cstdint>
#include <string>

#include "strata/runtime/session.hpp"

namespace strata::drop_in {

// [any] Opens it at the first call, and ends it with the process. Null if STRATA_EXEC is not set, or if it
// could not be opened, which is reported on standard error; the program continues.
Session* process_session() noexcept;

// [loop-thread] Opens one for a program that decides when, according to the file. Throws exceptions of the
// file's reader and the session; std::logic_error if one is open.
void open_process_session(const std::string& settings);

// [loop-thread] Ends the run and releases the session, once calls on other threads have returned; then
// another one can be opened. No effect in a forked child.
void close_process_session(RunEnd reason) noexcept;

// Prevents the session from being released: create it for one call, on the stack.
class SessionCall {
 public:
  SessionCall() noexcept;
  ~SessionCall();
  SessionCall(const SessionCall&) = delete;
  SessionCall& operator=(const SessionCall&) = delete;

  // Null if none is open, and in a forked child. Does not open one.
  Session* session() const noexcept { return session_; }
  // The number of sessions that the process has had, including an open one.
  static std::uint64_t sessions() noexcept;

 private:
  Session* session_;
};

// [any] From here on, process exit is detected before libraries are finalised. Call it again in main if the
// session was opened before.
void watch_exit() noexcept;

// [any] The process is about to call _exit, which runs no handlers. Does not open a session.
void leave_process(int status) noexcept;

}  // namespace strata::drop_in
