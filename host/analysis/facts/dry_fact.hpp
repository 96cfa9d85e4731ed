// SPDX-License-Identifier: Apache-2.0
// The facts of a run's simulated GPU: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata::analysis {

struct RefusedFunction {
  std::string function;
  std::uint64_t calls = 0;
};

// A reader of unknown values: an operator or a function.
struct UnknownReader {
  std::string reader;
  std::uint64_t count = 0, bytes = 0;  // that read zeros
  std::uint64_t answered = 0;          // that got values from an answer file
};

// Durations of one kind of work according to the modelled clock. Not measured.
struct ModelledWork {
  std::string kind;  // matrix_products, elementwise, ...
  std::uint64_t works = 0, ns = 0;
};

// The origins of the workspace sizes in a dry run.
struct WorkspaceCounts {
  std::uint64_t unknown = 0;  // the minimum, or the value of a setting
  std::uint64_t asked = 0;    // reported by the real library
  std::uint64_t fitted = 0;   // from a formula fitted to measurements of an H200
  std::uint64_t bounded = 0;  // an upper bound
};

// Memory that the context took after its creation: for the first kernel, or at a library's first use.
struct ContextPart {
  std::string part;  // kernels, cublas, ...
  std::uint64_t bytes = 0;
  std::uint64_t after_calls = 0;  // number of earlier calls for the device's memory
};

// For a run on a simulated GPU: the simulated device, and what the run cannot know.
struct DryFact {
  std::string profile, name;  // h100-80gb, NVIDIA H100 80GB HBM3
  // The day on which a real card was compared with this profile, such as 2026-11-28; empty: never.
  std::string compared;
  std::uint64_t devices = 1;
  std::uint64_t memory_bytes = 0;
  bool memory_is_given = false;  // by the user; else it is the profile's
  std::uint64_t context_bytes_low = 0, context_bytes_high = 0, context_bytes_used = 0;  // including its parts
  std::uint64_t context_bytes_init = 0;                                                 // without its parts
  std::vector<ContextPart> context_parts;
  std::uint64_t kernels_not_run = 0, library_calls_not_computed = 0;
  std::uint64_t unknown_reads = 0, unknown_read_bytes = 0, unknown_times = 0;
  std::uint64_t answered_reads = 0, assumed_reads = 0;
  WorkspaceCounts workspaces;
  std::uint64_t communicators = 0;
  // Assumed for each unknown size.
  std::uint64_t cudnn_workspace_bytes = 0, cusolver_workspace_bytes = 0, communicator_bytes = 0;
  std::optional<std::vector<ModelledWork>> modelled_clock;  // nothing: work took no time
  std::vector<UnknownReader> unknown_reads_by;
  std::vector<RefusedFunction> refused;
};

}  // namespace strata::analysis
