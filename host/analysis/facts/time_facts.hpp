// SPDX-License-Identifier: Apache-2.0
// How the window's steps spent their time: the plain data of reports and exports. Times are in nanoseconds;
// sums are over all steps of the window.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/time_rows.hpp"
#include "host/analysis/facts/time_spans.hpp"

namespace strata::analysis {

// A phase of the steps: the sum of its occurrences.
struct PhaseTime {
  std::string path;         // "backward/forward" if nested
  std::uint32_t depth = 0;  // of the path
  std::uint64_t count = 0;
  std::int64_t wall_ns = 0;
  std::int64_t self_ns = 0;         // without nested phases
  std::int64_t operator_ns = 0;     // part of wall_ns in which an operator ran on some thread
  std::int64_t thread_ns = 0;       // own time of operators, summed over threads
  std::int64_t device_ns = 0;       // device time of work requested in it
  std::int64_t device_idle_ns = 0;  // part of wall_ns in which devices were idle; sum over devices
};

// A module, with its operators' own time in each direction. `total` includes modules below.
struct LayerTime {
  struct Amount {
    std::int64_t forward_ns = 0, backward_ns = 0, device_ns = 0;
    std::uint64_t operators = 0;
    std::int64_t host_ns() const { return forward_ns + backward_ns; }
    Amount& operator+=(const Amount& other) {
      forward_ns += other.forward_ns;
      backward_ns += other.backward_ns;
      device_ns += other.device_ns;
      operators += other.operators;
      return *this;
    }
  };
  std::string path;   // "(" phase ")" outside of modules
  std::string label;  // its last part
  std::uint32_t depth = 0;
  Amount self, total;
};

// Operators with the same name.
struct OpTime {
  std::uint32_t name = 0;  // index into Facts::texts
  std::uint32_t kind = 0;  // STRATA_OP_*
  std::uint64_t count = 0;
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;   // including called operators, but none of the same name twice
  std::int64_t device_ns = 0;  // device time of the work that they requested themselves
};

// Work of a device, by name.
struct KernelTime {
  std::string name;  // short readable name; unique on the device
  std::string full_name;
  std::uint32_t kind = 0;  // STRATA_ACTIVITY_*
  std::uint32_t device = 0;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0, shortest_ns = 0, longest_ns = 0;
  std::uint64_t bytes = 0;  // copied or set
  std::uint32_t op = 0;     // index into Facts::texts: the operator that requested most of it; 0: unknown
};

// Why a device was idle; each moment has one cause.
enum class IdleCause : std::uint8_t {
  kData,         // the training loop was loading its data
  kSynchronize,  // the host had waited for the device, and had no work ready afterwards
  kLaunch,       // the host had not requested the work yet: it launches more slowly than the device works
  kLatency,      // the work was requested, but had not begun
  kNoStep,       // between steps
  kTail,         // no more work followed
  kUnknown       // the requesting call was not recorded
};
inline constexpr std::size_t kIdleCauses = 7;
const char* to_string(IdleCause cause);

struct IdleGap {
  Interval when;
  IdleCause cause = IdleCause::kUnknown;  // of most of the gap
  std::uint32_t next = kNoRow;            // index into TimeFacts::activities: the work that ended it
};

struct DeviceTime {
  std::uint32_t device = 0;  // index
  bool modelled = false;     // times are from a modelled clock
  Interval bounds;           // from the window's begin to its end
  std::int64_t busy_ns = 0;
  std::int64_t compute_ns = 0;  // while kernels ran
  std::int64_t copy_ns = 0;     // while copies ran
  std::int64_t overlap_ns = 0;  // while both ran
  std::int64_t set_ns = 0;
  std::array<std::int64_t, kIdleCauses> idle_ns{};
  std::uint64_t gaps = 0;
  std::vector<IdleGap> longest_gaps;  // longest first
  std::int64_t idle_in_all_ns() const;
};

// Launches compared with their work. Nothing should be missing on either side.
struct LaunchCheck {
  std::uint64_t launches = 0;             // calls that launch a kernel or a graph
  std::uint64_t work = 0;                 // kernels and graphs
  std::uint64_t launches_unanswered = 0;  // without a recorded kernel
  std::uint64_t work_unasked = 0;         // without a recorded call
  bool holds() const { return launches_unanswered == 0 && work_unasked == 0; }
};

// Matrix products of one shape, from the rows of torch.
struct ProductTime {
  ProductRow shape;        // with `op` 0
  std::uint32_t name = 0;  // index into Facts::texts: the operator
  std::uint64_t count = 0;
  double flop = 0;  // of all of them
  std::uint64_t bytes = 0;
  // On the device if requested there, else the operators' own time. 0: unknown, in a run on a device whose
  // kernels were not recorded.
  std::int64_t time_ns = 0;
  bool on_device = false;
  std::optional<double> intensity() const;        // FLOP per byte
  std::optional<double> flop_per_second() const;  // empty if no time passed
};

struct CallTime {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
};

struct StepTime {
  std::int64_t step = 0;
  std::int64_t wall_ns = 0;
  std::int64_t operator_ns = 0;  // while an operator ran on some thread
  std::int64_t device_ns = 0;    // busy, sum over devices
  std::uint64_t operators = 0;
};

struct TimeFacts {
  std::int64_t window_ns = 0;  // of the steps, without the time between them
  std::vector<StepTime> steps;
  std::vector<PhaseTime> phases;        // nested ones after their parent
  std::vector<LayerTime> layers;        // each before those below it, siblings longest first
  std::vector<OpTime> ops;              // longest own time first
  std::vector<KernelTime> kernels;      // longest time first; includes copies and sets
  std::vector<DeviceTime> devices;      // by index
  std::vector<CallTime> calls;          // of the runtime and the driver, longest time first
  std::vector<CallTime> overheads;      // of the driver and the profiler, longest time first
  std::int64_t host_waits_ns = 0;       // time in which the host waited for a device
  std::optional<LaunchCheck> launches;  // empty if no call and no kernel was recorded
  std::vector<ProductTime> products;    // longest time first
  std::vector<Capture> captures;        // completeness as reported by the source cupti
  bool modelled = false;                // no device time was measured
  std::uint64_t threads = 0;            // number on which operators ran

  // The underlying rows, also outside of the window: for exports.
  std::vector<OpSpan> spans;
  std::vector<ActivityRow> activities;  // by begin
  std::vector<ActivityPlace> places;    // of each activity
  std::vector<KernelLaunch> kernel_launches;
  std::vector<ModuleSpan> modules;       // by begin
  std::vector<ProductRow> product_rows;  // by operator; also for one called by another product
  bool host_computes = false;            // operators' own times are those of their computation
};

}  // namespace strata::analysis
