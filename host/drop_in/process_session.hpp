// SPDX-License-Identifier: Apache-2.0
// The one session of a process that is not ours, opened as STRATA_EXEC says by whoever comes first: the
// preload library once torch is there, or the program's own first mark.
#pragma once

#include <cstdint>
#include <string>

#include "strata/runtime/session.hpp"

namespace strata::drop_in {

// [any] Opens it the first time, and ends it with the process. Null where STRATA_EXEC is not set, or it could
// not be opened, which is said on standard error: the program goes on.
Session* process_session() noexcept;

// [loop-thread] Opens one for a program that says itself when, as the file tells. Throws what the file's
// reader and the session throw; std::logic_error where one is open.
void open_process_session(const std::string& settings);

// [loop-thread] Ends the run and lets go of the session, once calls of other threads have returned: another
// one may be opened. Nothing in a forked child.
void close_process_session(RunEnd reason) noexcept;

// Keeps the session from being let go of: for one call, on the stack.
class SessionCall {
 public:
  SessionCall() noexcept;
  ~SessionCall();
  SessionCall(const SessionCall&) = delete;
  SessionCall& operator=(const SessionCall&) = delete;

  // Null where none is open, and in a forked child. Opens none.
  Session* session() const noexcept { return session_; }
  // How many the process has had, up to the one that is open.
  static std::uint64_t sessions() noexcept;

 private:
  Session* session_;
};

// [any] From here on an exit is heard of before the libraries are finished: again in main, where the session
// was opened before it.
void watch_exit() noexcept;

// [any] The process leaves by _exit, which runs no handlers. Opens nothing.
void leave_process(int status) noexcept;

}  // namespace strata::drop_in
