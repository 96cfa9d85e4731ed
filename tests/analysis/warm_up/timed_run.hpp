// SPDX-License-Identifier: Apache-2.0
// A run of steps with phases on a simulated clock, with planted causes of slowness whose times are known to
// the nanosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis::testing {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr double kFaultNs = 2'000.0, kThreadNs = 10'000.0;

class TimedRun {
 public:
  using Body = std::function<void()>;

  TimedRun();

  // Lasts as long as its phases and the waits between them.
  void step(std::int64_t index, const Body& body);
  // `kind` is STRATA_PHASE_*.
  void phase(std::uint32_t kind, std::string_view name, const Body& body);
  // Advances the clock, with the thread working or idle.
  void work(std::int64_t ns);
  void idle(std::int64_t ns);
  // The thread is runnable, but other processes have the processors.
  void wait_for_processor(std::int64_t ns);
  // Works on page faults.
  void fault(std::int64_t faults);
  void open_library(std::string_view path);
  void start_threads(std::int64_t count);
  void run_program(std::int64_t cpu_ns);
  // A call of an operator with that self time; faults and library calls inside it belong to it.
  void call(std::string_view name, const Body& body);
  // An activity of the loop thread around body, with the arguments of activity.h.
  void activity(std::uint32_t kind, std::uint32_t detail, std::string_view name, const Body& body,
                std::uint64_t bytes = 0);
  // As a trainer registers its optimizer's state.
  void make_state(std::int64_t tensors);

  Recording& recording() { return run_; }
  // The analysis of the run.
  Facts analysed() const;

 private:
  void sample(SampleEdge edge, std::uint32_t phase);
  std::uint32_t text(std::string_view text) { return run_.texts.add(text); }

  struct Sum {
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
  };
  Recording run_;
  Counters counters_;
  std::int64_t now_ns_ = 1'000 * kMs;
  std::uint64_t sequence_ = 0;
  std::int64_t step_ = -1;
  std::uint32_t open_phase_ = 0, last_phase_ = 0;
  std::vector<std::int64_t> inner_ns_;  // of open calls
  std::map<std::string, Sum, std::less<>> sums_;
  std::map<std::string, bool, std::less<>> called_;
};

// The nanoseconds of a cause in a list; 0 if it is absent.
double ns_of(const std::vector<CauseShare>& causes, Cause cause);
// The text of its evidence; empty if it is absent.
std::string proof_of(const std::vector<CauseShare>& causes, Cause cause);

// 30 steps of 10 ms (data 1, forward 3, backward 4, optimizer 2), with `planted` in a phase of one step.
TimedRun training_with(std::int64_t slow_step, std::string_view slow_phase,
                       const std::function<void(TimedRun&)>& planted);

}  // namespace strata::analysis::testing
