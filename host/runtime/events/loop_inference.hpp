// SPDX-License-Identifier: Apache-2.0
// Steps and phases of a training loop, from what it marks itself and, for the rest, concluded from what a
// source sees of it (strata/ext/training.h).
//
// A step ends where the next one's first evidence comes after an optimizer ran: so two optimizers of one
// iteration share their step, and what a program does between its step and its next batch belongs to the step
// before. Phases nest by the innermost evidence: a closure's forward and backward lie within the optimizer
// that called it.
//
// What a program marks wins, and is never concluded a second time: once it marks a step, or a micro-batch, no
// other is concluded; once it marks a forward, no other forward is, while backward and optimizer go on being
// concluded. A mark is evidence too: a marked forward after an optimizer begins the next step of a program
// that marks no steps. Within a marked setup, evaluation or saving nothing is concluded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "host/runtime/events/loop_marks.hpp"

namespace strata {

class LoopInference {
 public:
  // `marks` outlives this.
  explicit LoopInference(LoopMarks& marks) : marks_(marks) {}
  LoopInference(const LoopInference&) = delete;
  LoopInference& operator=(const LoopInference&) = delete;

  // [any] not [alloc-lock]. As strata_training_service::tell.
  std::uint32_t saw(std::uint32_t what, std::string_view name);

  // [any] The program's own marks, one thread at a time. Steps concluded before its first one are counted
  // before it. `result.optimizer_ran` may be 0 where it did.
  void program_begins_step(const StepMark& step);
  // Where one iteration of the loop ends and the next begins, once in each, with what is known of the one
  // that ends. The first of these marks tells where in the loop it stands: behind a training, at the end, and
  // then a step begins with its first evidence; else at the top, and then with its mark.
  void program_marks_step(const strata_step_result& result);
  void program_begins_micro_batch(std::uint32_t index);
  void program_ends_step(const strata_step_result& result);
  // Returns what `program_ends_phase` takes, which leaves alone what has ended with its step.
  std::uint32_t program_begins_phase(std::uint32_t kind, std::string_view name);
  void program_ends_phase(std::uint32_t phase);

  // [any] The run ends: so does the open step, whose optimizer may have run.
  void finish();

 private:
  // kOutsideTraining: what is no part of training, as the program says. kOther: what it knows by its name
  // alone.
  enum class Part : std::uint8_t {
    kData,
    kZeroGrad,
    kForward,
    kBackward,
    kRecompute,
    kOptimizer,
    kOutsideTraining,
    kOther
  };
  struct Open {
    Part part;
    std::uint32_t phase;
    bool is_programs;
  };
  static Part part_of(std::uint32_t kind);

  void ended_aside(std::uint32_t what, std::string_view name);
  void forward();
  void begin_backward();
  void end_backward();
  void begin_recompute();
  void begin_range(std::string_view name);
  void end_range(std::string_view name);
  void begin_write();
  void end_write();

  // Ends what cannot go on when this part begins, and the step where it belongs to the next.
  void close_conflicting_phases(Part part);
  // A concluded one, unless the program marks such parts itself.
  void open(Part part, std::string_view name);
  void close_innermost();
  // A concluded one, with all that is open within it.
  void close(Part part);
  bool is_open(Part part) const;  // by whomever
  bool is_concluded(Part part) const;
  bool is_innermost(Part part) const { return !open_.empty() && open_.back().part == part; }
  // A batch, a forward or a backward comes: after an optimizer ran, of the next step.
  void expect_step();
  void begin_step(const StepMark& step);
  void end_step(strata_step_result result);
  void end_writes();
  void optimizer_ended();
  std::uint32_t wanted() const;

  LoopMarks& marks_;
  std::mutex mutex_;
  std::vector<Open> open_;              // innermost last
  std::size_t open_outside_step_ = 0;   // when the step began
  std::uint32_t parts_of_program_ = 0;  // bits of those that it has marked
  bool concludes_steps_ = true, concludes_micro_batches_ = true;
  std::uint64_t first_of_program_ = 0;  // added to the program's own indices
  enum class StepMarks : std::uint8_t { kNone, kAtTheTop, kAtTheEnd };
  StepMarks step_marks_ = StepMarks::kNone;
  bool step_open_ = false;
  std::uint64_t next_step_ = 0;
  std::uint32_t micro_batches_ = 0;  // backwards of this step that have ended
  bool in_forward_ = false;          // since the last backward
  bool in_backward_ = false;         // autograd runs a graph
  bool optimizer_ran_ = false;       // in this step

  // Optimizers that name their steps: how deep in them, how many there have been, and whether one called for
  // a forward.
  std::uint32_t optimizer_depth_ = 0;
  std::uint64_t named_steps_ = 0;
  bool has_closures_ = false;

  // Optimizers that do not: told by what they write.
  std::uint64_t writes_ = 0;                       // in this step
  std::optional<std::uint64_t> writes_in_a_step_;  // of the step before
};

}  // namespace strata
