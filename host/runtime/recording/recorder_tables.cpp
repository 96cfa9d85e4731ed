// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/recording/recorder_tables.hpp"

#include <array>
#include <cstddef>

#include "host/runtime/store/store.hpp"
#include "strata/ext/store.h"

namespace strata {
namespace {

constexpr auto kU32 = STRATA_COLUMN_UINT32;
constexpr auto kI64 = STRATA_COLUMN_INT64;
constexpr auto kU64 = STRATA_COLUMN_UINT64;
constexpr auto kReal = STRATA_COLUMN_REAL;
constexpr auto kString = STRATA_COLUMN_STRING;

constexpr const char* kSequence = "the event's place in the run's order over all threads";
constexpr const char* kTime = "CLOCK_MONOTONIC";

template <typename Row, std::size_t Count>
std::uint32_t declare(Store& store, const char* name, const char* help,
                      const std::array<strata_column, Count>& columns) {
  const strata_table table = {sizeof(strata_table), sizeof(Row), name, help, columns.data(), Count, 0};
  return store.declare("host", table);
}

#define COLUMN(field, type, unit, help) strata_column STRATA_COLUMN(Row, field, type, unit, help)
#define MOMENT COLUMN(sequence, kU64, "", kSequence), COLUMN(monotonic_ns, kI64, "ns", kTime)

std::uint32_t declare_clock(Store& store) {
  using Row = ClockRow;
  return declare<Row>(store, "clock", "CLOCK_MONOTONIC and CLOCK_REALTIME read together",
                      std::array{COLUMN(monotonic_ns, kI64, "ns", kTime),
                                 COLUMN(realtime_ns, kI64, "ns", "nanoseconds since 1970")});
}

std::uint32_t declare_run_moment(Store& store, const char* name, const char* help) {
  using Row = RunMomentRow;
  return declare<Row>(store, name, help, std::array{MOMENT});
}

std::uint32_t declare_run_end(Store& store) {
  using Row = RunEndRow;
  return declare<Row>(store, "run_end", "the run ended",
                      std::array{MOMENT, COLUMN(reason, kU32, "", "STRATA_RUN_* of strata/ext/run.h")});
}

std::uint32_t declare_step_begin(Store& store) {
  using Row = StepBeginRow;
  return declare<Row>(store, "step_begin", "a step opened",
                      std::array{MOMENT, COLUMN(step, kU64, "", "index from 0"),
                                 COLUMN(schedule, kU32, "", "0 wait, 1 warm-up, 2 active"),
                                 COLUMN(micro_batches, kU32, "", "how many it will have; 0 unknown")});
}

std::uint32_t declare_epoch(Store& store) {
  using Row = EpochRow;
  return declare<Row>(store, "epoch", "an epoch began, with its first step",
                      std::array{MOMENT, COLUMN(epoch, kU64, "", "index from 0"),
                                 COLUMN(step, kU64, "", "the step that began at this moment")});
}

std::uint32_t declare_step_end(Store& store) {
  using Row = StepEndRow;
  return declare<Row>(store, "step_end", "a step closed",
                      std::array{MOMENT, COLUMN(step, kU64, "", "index from 0"),
                                 COLUMN(optimizer_ran, kU32, "",
                                        "0 or 1; 0 also for an end that was added after an exception"),
                                 COLUMN(loss, kReal, "", "mean over the micro-batches, before the update"),
                                 COLUMN(tokens, kU64, "", "tokens, or samples if there are none")});
}

std::uint32_t declare_phase_begin(Store& store) {
  using Row = PhaseBeginRow;
  return declare<Row>(store, "phase_begin", "a phase opened",
                      std::array{MOMENT, COLUMN(phase, kU32, "", "the phase's ordinal, from 1"),
                                 COLUMN(parent, kU32, "", "ordinal of the enclosing phase, or 0"),
                                 COLUMN(kind, kU32, "", "STRATA_PHASE_* of strata/ext/phase.h"),
                                 COLUMN(name, kString, "", "as the trainer named it"),
                                 COLUMN(inferred, kU32, "", "1 if a source inferred it"),
                                 COLUMN(step, kI64, "", "index of the step, -1 outside"),
                                 COLUMN(micro_batch, kU32, "", "index within the step")});
}

std::uint32_t declare_phase_end(Store& store) {
  using Row = PhaseEndRow;
  return declare<Row>(store, "phase_end", "a phase closed",
                      std::array{MOMENT, COLUMN(phase, kU32, "", "the phase's ordinal")});
}

std::uint32_t declare_module_begin(Store& store) {
  using Row = ModuleBeginRow;
  return declare<Row>(
      store, "module_begin", "a module's range opened",
      std::array{MOMENT, COLUMN(module, kU32, "", "the range's ordinal, from 1"),
                 COLUMN(parent, kU32, "", "ordinal of the enclosing range on the thread, or 0"),
                 COLUMN(direction, kU32, "", "STRATA_MODULE_* of strata/ext/module.h"),
                 COLUMN(path, kString, "", "the module's qualified name"),
                 COLUMN(type, kString, "", "the module's type"),
                 COLUMN(thread, kU32, "", "the OS's thread id"),
                 COLUMN(phase, kU32, "", "ordinal of the phase, or 0")});
}

std::uint32_t declare_module_end(Store& store) {
  using Row = ModuleEndRow;
  return declare<Row>(store, "module_end", "a module's range closed",
                      std::array{MOMENT, COLUMN(module, kU32, "", "the range's ordinal")});
}

std::uint32_t declare_tensor(Store& store) {
  using Row = TensorRow;
  return declare<Row>(
      store, "tensor", "the owner of a storage was registered",
      std::array{MOMENT, COLUMN(thread, kU32, "", "the OS's thread id"),
                 COLUMN(role, kU32, "", "STRATA_TENSOR_* of strata/ext/tensor.h"),
                 COLUMN(name, kString, "", "qualified name"), COLUMN(dtype, kString, "", "element type"),
                 COLUMN(shape, kString, "", "extents of the view: 4x512"),
                 COLUMN(device_type, kU32, "", "STRATA_DEVICE_* of strata/events.h"),
                 COLUMN(device_index, kI64, "", "0 for the CPU"),
                 COLUMN(address, kU64, "", "address of the storage's first byte"),
                 COLUMN(storage_bytes, kU64, "bytes", "bytes of the whole storage"),
                 COLUMN(owner_address, kU64, "", "the parameter's storage, or 0"),
                 COLUMN(phase, kU32, "", "ordinal of the phase, or 0"),
                 COLUMN(is_frozen, kU32, "",
                        "1: a parameter that needs no gradient; 0: it needs one, or this is unknown")});
}

#undef MOMENT
#undef COLUMN

}  // namespace

RecorderTables::RecorderTables(Store& store)
    : clock(declare_clock(store)),
      run_begin(declare_run_moment(store, "run_begin", "the run began; no model exists yet")),
      run_ready(declare_run_moment(store, "run_ready", "model and optimizer are built")),
      run_end(declare_run_end(store)),
      step_begin(declare_step_begin(store)),
      step_end(declare_step_end(store)),
      phase_begin(declare_phase_begin(store)),
      phase_end(declare_phase_end(store)),
      module_begin(declare_module_begin(store)),
      module_end(declare_module_end(store)),
      tensor(declare_tensor(store)),
      epoch(declare_epoch(store)) {}

}  // namespace strata
