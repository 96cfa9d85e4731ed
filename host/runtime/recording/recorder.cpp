// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/recording/recorder.hpp"

#include <span>
#include <string>
#include <utility>

#include "host/runtime/clock.hpp"
#include "host/runtime/store/store.hpp"

namespace strata {
namespace {

std::string shape_text(const strata_tensor_event& tensor) {
  std::string shape;
  for (const std::int64_t extent : std::span(tensor.sizes, tensor.dimensions)) {
    if (!shape.empty()) shape += 'x';
    shape += std::to_string(extent);
  }
  return shape;
}

}  // namespace

// The members of the listener tables.
struct Recorder::Callbacks {
  static Recorder& of(void* self) { return *static_cast<Recorder*>(self); }

  template <typename Row>
  static void append(Recorder& recorder, std::uint32_t table, const Row& row) {
    recorder.store_.append(table, &row);
  }

  static void run_begin(void* self, const strata_when* when, const strata_run_info*) {
    of(self).sample_clock();
    append(of(self), of(self).tables_.run_begin, RunMomentRow{when->sequence, when->monotonic_ns});
  }
  static void run_ready(void* self, const strata_when* when) {
    append(of(self), of(self).tables_.run_ready, RunMomentRow{when->sequence, when->monotonic_ns});
  }
  static void run_end(void* self, const strata_when* when, std::uint32_t reason) {
    append(of(self), of(self).tables_.run_end, RunEndRow{when->sequence, when->monotonic_ns, reason, 0});
    of(self).sample_clock();
  }

  static std::uint64_t step_begin(void* self, const strata_when* when, const strata_step_info* step) {
    Recorder& recorder = of(self);
    if (step->schedule == STRATA_STEP_ACTIVE && recorder.last_schedule_ != STRATA_STEP_ACTIVE)
      recorder.sample_clock();
    recorder.last_schedule_ = step->schedule;
    append(
        recorder, recorder.tables_.step_begin,
        StepBeginRow{when->sequence, when->monotonic_ns, step->index, step->schedule, step->micro_batches});
    if (step->epoch != STRATA_NO_EPOCH && step->epoch != std::exchange(recorder.last_epoch_, step->epoch)) {
      append(recorder, recorder.tables_.epoch,
             EpochRow{when->sequence, when->monotonic_ns, step->epoch, step->index});
    }
    return 0;
  }
  static void step_end(void* self, const strata_when* when, const strata_step_info* step,
                       const strata_step_result* result, std::uint64_t) {
    append(of(self), of(self).tables_.step_end,
           StepEndRow{when->sequence, when->monotonic_ns, step->index, result->loss, result->tokens,
                      result->optimizer_ran, 0});
  }

  static std::uint64_t phase_begin(void* self, const strata_when* when, const strata_phase_info* phase) {
    append(of(self), of(self).tables_.phase_begin,
           PhaseBeginRow{when->sequence, when->monotonic_ns, static_cast<std::int64_t>(when->step),
                         phase->ordinal, when->phase, phase->kind, phase->name.id, phase->inferred,
                         when->micro_batch});
    return 0;
  }
  static void phase_end(void* self, const strata_when* when, const strata_phase_info* phase, std::uint64_t) {
    append(of(self), of(self).tables_.phase_end,
           PhaseEndRow{when->sequence, when->monotonic_ns, phase->ordinal, 0});
  }

  static std::uint64_t module_begin(void* self, const strata_when* when, const strata_module_info* module) {
    append(of(self), of(self).tables_.module_begin,
           ModuleBeginRow{when->sequence, when->monotonic_ns, module->ordinal, module->parent,
                          module->direction, module->path.id, module->type.id, when->thread, when->phase, 0});
    return 0;
  }
  static void module_end(void* self, const strata_when* when, const strata_module_info* module,
                         std::uint64_t) {
    append(of(self), of(self).tables_.module_end,
           ModuleEndRow{when->sequence, when->monotonic_ns, module->ordinal, 0});
  }

  static void tensor(void* self, const strata_when* when, const strata_tensor_event* event) {
    Recorder& recorder = of(self);
    append(recorder, recorder.tables_.tensor,
           TensorRow{when->sequence, when->monotonic_ns, event->address, event->storage_bytes,
                     event->owner_address, event->device.index, when->thread, event->role, event->name.id,
                     event->dtype.id, recorder.store_.intern(shape_text(*event)).id, event->device.type,
                     when->phase, event->is_frozen});
  }

  static void flush(void* self, std::uint32_t reason, std::int64_t) {
    if (reason == STRATA_FLUSH_WINDOW_END) of(self).sample_clock();
  }
};

void Recorder::sample_clock() {
  const ClockSample sample = clock_.add();
  Callbacks::append(*this, tables_.clock, ClockRow{sample.monotonic_ns, sample.realtime_ns});
}

ListenerSet Recorder::listeners() noexcept {
  using C = Callbacks;
  ListenerSet set;
  set.self = this;
  set.whole_run = true;
  set.run = {sizeof set.run, 0, C::run_begin, C::run_ready, C::run_end};
  set.step = {sizeof set.step, 0, C::step_begin, C::step_end};
  set.phase = {sizeof set.phase, 0, C::phase_begin, C::phase_end};
  set.module = {sizeof set.module, 0, C::module_begin, C::module_end};
  set.tensor = {sizeof set.tensor, 0, C::tensor};
  set.flush = {sizeof set.flush, 0, C::flush};
  return set;
}

}  // namespace strata
