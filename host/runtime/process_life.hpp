// SPDX-License-Identifier: Apache-2.0
// The one session of this process, as the process's exit and a fork must find it.
#pragma once

namespace strata {

class ProcessLife {
 public:
  // Called by exit() (and by the return from main), before objects that were made static earlier are
  // destroyed.
  virtual void process_exiting() noexcept = 0;
  // Called in the child of a fork, on its only thread.
  virtual void forked_child() noexcept = 0;

 protected:
  ~ProcessLife() = default;
};

// Makes `session` the one that is told. Throws std::logic_error when there is one already. To be called after
// plugins are loaded: whatever they destroy at exit is then still whole when `process_exiting` runs.
void claim_process(ProcessLife& session);

// Throws std::logic_error when a session is there.
void expect_unclaimed_process();

// The end of the claim; does nothing when `session` has none, as in a forked child.
void release_process(const ProcessLife& session) noexcept;

}  // namespace strata
