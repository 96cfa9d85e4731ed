// SPDX-License-Identifier: Apache-2.0
// The process's one session, as needed by the handlers of process exit and fork.
#pragma once

namespace strata {

class ProcessLife {
 public:
  // Called by exit() (and by the return from main), before static objects constructed earlier are destroyed.
  virtual void process_exiting() noexcept = 0;
  // Called in a forked child, on its only thread.
  virtual void forked_child() noexcept = 0;

 protected:
  ~ProcessLife() = default;
};

// Registers `session` for these calls. Throws std::logic_error if there is one already. Call it after plugins
// are loaded: everything that they destroy at exit then still exists when `process_exiting` runs.
void claim_process(ProcessLife& session);

// Throws std::logic_error if a session is registered.
void expect_unclaimed_process();

// Ends the registration; no effect if `session` is not registered, as in a forked child.
void release_process(const ProcessLife& session) noexcept;

}  // namespace strata
