// SPDX-License-Identifier: Apache-2.0
// Infers the steps and phases of a training loop from the program's own marks and, for unmarked parts, from
// what a source observes (strata/ext/training.h).
//
// A step ends at the first evidence of the next step after an optimizer ran. So two optimizers in one
// iteration share a step, and work between a step and the next batch belongs to the earlier step. Phases nest
// by the innermost evidence: the forward and backward of a closure lie within the optimizer that called it.
//
// The program's marks take precedence and are never inferred a second time. Once it marks a step or a
// micro-batch, no other is inferred; once it marks a forward, no other forward is, while backward and
// optimizer still are. A mark is also evidence: in a program that marks no steps, a marked forward after an
// optimizer begins the next step. Nothing is inferred inside a marked setup, evaluation or saving.
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

  // [any] not [alloc-lock]. See strata_training_service::tell.
  std::uint32_t saw(std::uint32_t what, std::string_view name);

  // [any] The program's own marks, one thread at a time. Steps inferred before its first mark are numbered
  // before it. `result.optimizer_ran` may be 0 although the optimizer ran.
  void program_begins_step(const StepMark& step);
  // Called once per iteration, where one iteration ends and the next begins, with the result of the one that
  // ends. The first mark shows its place in the loop: after training, it is at the end, and a step begins
  // with its first evidence; otherwise it is at the top, and a step begins with its mark.
  void program_marks_step(const strata_step_result& result);
  void program_begins_micro_batch(std::uint32_t index);
  void program_ends_step(const strata_step_result& result);
  // Pass the result to `program_ends_phase`. That has no effect if the phase has already ended with its step.
  std::uint32_t program_begins_phase(std::uint32_t kind, std::string_view name);
  void program_ends_phase(std::uint32_t phase);

  // [any] The run ends, and with it the open step, whose optimizer may have run.
  void finish();

 private:
  // kOutsideTraining: the program says that it is not part of training. kOther: known only by its name.
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

  // Ends the phases that cannot continue when this part begins, and the step if the part belongs to the next
  // one.
  void close_conflicting_phases(Part part);
  // Opens an inferred phase, unless the program marks such parts itself.
  void open(Part part, std::string_view name);
  void close_innermost();
  // Closes an inferred phase, and everything open inside it.
  void close(Part part);
  bool is_open(Part part) const;  // marked or inferred
  bool is_concluded(Part part) const;
  bool is_innermost(Part part) const { return !open_.empty() && open_.back().part == part; }
  // A batch, a forward or a backward begins: if an optimizer ran, it belongs to the next step.
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
  std::uint32_t parts_of_program_ = 0;  // bits of the parts that it has marked
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

  // Optimizers that name their steps: nesting depth, how many there have been, and whether one of them called
  // a forward.
  std::uint32_t optimizer_depth_ = 0;
  std::uint64_t named_steps_ = 0;
  bool has_closures_ = false;

  // Optimizers that do not name their steps are recognised by what they write.
  std::uint64_t writes_ = 0;                       // in this step
  std::optional<std::uint64_t> writes_in_a_step_;  // of the previous step
};

}  // namespace strata
