// SPDX-License-Identifier: Apache-2.0
// Where the time of the window's steps went: the plain data that reports and exports are made from. Times are
// nanoseconds; sums are over all of the window's steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/time_rows.hpp"
#include "host/analysis/facts/time_spans.hpp"

namespace strata::analysis {

// A phase of the steps, all of its occurrences together.
struct PhaseTime {
  std::string path;         // "backward/forward" of one within another
  std::uint32_t depth = 0;  // of the path
  std::uint64_t count = 0;
  std::int64_t wall_ns = 0;
  std::int64_t self_ns = 0;         // without the phases within
  std::int64_t operator_ns = 0;     // of wall_ns, while an operator was at work on some thread
  std::int64_t thread_ns = 0;       // what operators took themselves, summed over threads
  std::int64_t device_ns = 0;       // what the device took for what was asked for in it
  std::int64_t device_idle_ns = 0;  // of wall_ns, while devices did nothing; of all devices
};

// A module, with what its operators took themselves, in each direction. `total` includes modules below.
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
  std::string path;   // of what is of no module, "(" phase ")"
  std::string label;  // its last part
  std::uint32_t depth = 0;
  Amount self, total;
};

// Operators of one name.
struct OpTime {
  std::uint32_t name = 0;  // index into Facts::texts
  std::uint32_t kind = 0;  // STRATA_OP_*
  std::uint64_t count = 0;
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;   // with the operators that they called, of which none of the same name
  std::int64_t device_ns = 0;  // what the device took for what they asked for themselves
};

// What a device did, by name.
struct KernelTime {
  std::string name;  // as people read it, shortened; that of no other kernel of the device
  std::string full_name;
  std::uint32_t kind = 0;  // STRATA_ACTIVITY_*
  std::uint32_t device = 0;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0, shortest_ns = 0, longest_ns = 0;
  std::uint64_t bytes = 0;  // copied or set
  std::uint32_t op = 0;     // index into Facts::texts: the operator that asked for most of it; 0: unknown
};

// Why a device did nothing, each moment for one reason.
enum class IdleCause : std::uint8_t {
  kData,         // the training loop was getting its data
  kSynchronize,  // the host had waited for the device, and had nothing ready when it was done
  kLaunch,       // the host had not asked yet: it launches slower than the device works
  kLatency,      // it was asked for, and had not begun
  kNoStep,       // between steps
  kTail,         // nothing came any more
  kUnknown       // who asked was not recorded
};
inline constexpr std::size_t kIdleCauses = 7;
const char* to_string(IdleCause cause);

struct IdleGap {
  Interval when;
  IdleCause cause = IdleCause::kUnknown;  // of most of it
  std::uint32_t next = kNoRow;            // index into TimeFacts::activities: what ended it
};

struct DeviceTime {
  std::uint32_t device = 0;  // index
  bool modelled = false;     // a dry device computed the times
  Interval bounds;           // from the window's begin to its end
  std::int64_t busy_ns = 0;
  std::int64_t compute_ns = 0;  // while kernels ran
  std::int64_t copy_ns = 0;     // while copies ran
  std::int64_t overlap_ns = 0;  // while both did
  std::int64_t set_ns = 0;
  std::array<std::int64_t, kIdleCauses> idle_ns{};
  std::uint64_t gaps = 0;
  std::vector<IdleGap> longest_gaps;  // longest first
  std::int64_t idle_in_all_ns() const;
};

// Launches against what came of them. All is well when nothing is missing on either side.
struct LaunchCheck {
  std::uint64_t launches = 0;             // calls that launch a kernel or a graph
  std::uint64_t work = 0;                 // kernels and graphs
  std::uint64_t launches_unanswered = 0;  // of which no kernel was seen
  std::uint64_t work_unasked = 0;         // of which no call was seen
  bool holds() const { return launches_unanswered == 0 && work_unasked == 0; }
};

// Matrix products of one shape. Copied from the rows of torch.
struct ProductTime {
  ProductRow shape;        // of `op` 0
  std::uint32_t name = 0;  // index into Facts::texts: the operator
  std::uint64_t count = 0;
  double flop = 0;  // of all of them
  std::uint64_t bytes = 0;
  // On the device where it asked one, else the operators' own. 0: not known, of a run on a device whose
  // kernels were not recorded.
  std::int64_t time_ns = 0;
  bool on_device = false;
  std::optional<double> intensity() const;        // FLOP a byte
  std::optional<double> flop_per_second() const;  // nothing where no time passed
};

struct CallTime {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
};

struct StepTime {
  std::int64_t step = 0;
  std::int64_t wall_ns = 0;
  std::int64_t operator_ns = 0;  // while an operator was at work on some thread
  std::int64_t device_ns = 0;    // busy, of all devices
  std::uint64_t operators = 0;
};

struct TimeFacts {
  std::int64_t window_ns = 0;  // of the steps, without what is between them
  std::vector<StepTime> steps;
  std::vector<PhaseTime> phases;        // those within a phase behind it
  std::vector<LayerTime> layers;        // each before those below it, of siblings the longest first
  std::vector<OpTime> ops;              // most time of their own first
  std::vector<KernelTime> kernels;      // most time first; copies and sets among them
  std::vector<DeviceTime> devices;      // by index
  std::vector<CallTime> calls;          // of the runtime and the driver, most time first
  std::vector<CallTime> overheads;      // the driver's and the profiler's own, most time first
  std::int64_t host_waits_ns = 0;       // the host waited for a device
  std::optional<LaunchCheck> launches;  // nothing where no call and no kernel was recorded
  std::vector<ProductTime> products;    // most time first
  std::vector<Capture> captures;        // what the source cupti says of its own completeness
  bool modelled = false;                // of what devices did, no time was measured
  std::uint64_t threads = 0;            // that operators ran on

  // What it is made from, also outside of the window: for exports.
  std::vector<OpSpan> spans;
  std::vector<ActivityRow> activities;  // by begin
  std::vector<ActivityPlace> places;    // of each activity
  std::vector<KernelLaunch> kernel_launches;
  std::vector<ModuleSpan> modules;       // by begin
  std::vector<ProductRow> product_rows;  // by operator; of one that another called too
  bool host_computes = false;            // operators' own times are those of what they compute
};

}  // namespace strata::analysis
