// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/warm_up_words.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "host/analysis/warm_up/causes.hpp"

namespace strata::report {
namespace {

using analysis::Proof;
using analysis::ProofKind;

// In the order of Cause.
constexpr auto kCauseTitles = std::to_array<std::string_view>({
    "CUDA context",
    "device code loaded (modules)",
    "kernels loaded at their first launch",
    "device code compiled (JIT)",
    "device memory for the allocator",
    "the profiler's own work",
    "other long calls of the driver",
    "waiting for a processor",
    "projector (SVD, QR)",
    "communicator start",
    "handles, workspaces, primitives",
    "first calls of other operators",
    "page faults",
    "threads started",
    "programs started",
    "optimizer state made",
    "data loader start",
    "shared libraries opened",
});
static_assert(kCauseTitles.size() == analysis::kCauses, "each cause has a title");

// "31.2 ms", "4.5 us", "1.20 s". Not duration(): its "µs" and separators would change the JSON.
std::string proof_time(double ns) {
  if (ns >= 1e9) return fmt::format("{:.2f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.1f} ms", ns / 1e6);
  return fmt::format("{:.1f} us", ns / 1e3);
}

// The items that a proof names, and the number of the others.
std::string named_of(const std::vector<std::string>& items, std::uint64_t count) {
  std::string text;
  for (std::size_t index = 0; index < items.size(); ++index) text += (index == 0 ? "" : ", ") + items[index];
  return count <= items.size() ? text : fmt::format("{} and {} more", text, count - items.size());
}

std::string call_text(const analysis::SlowCall& call) {
  std::string text = fmt::format("{} {}", call.name, proof_time(call.ns));
  if (!call.is_first) text += " (not its first)";
  if (call.libraries > 0) text += fmt::format(" (opened {} libraries)", call.libraries);
  return text;
}

std::string calls_text(const Proof& proof) {
  std::vector<std::string> texts;
  for (const analysis::SlowCall& call : proof.calls) texts.push_back(call_text(call));
  return named_of(texts, proof.count);
}

std::string evidence_text(const Proof& proof) {
  switch (proof.kind) {
    case ProofKind::kActivities:
      return fmt::format("{} timed, the longest {}{}{}", proof.count, proof.name,
                         proof.name.empty() ? "" : " ", proof_time(proof.ns));
    case ProofKind::kModules:
      return fmt::format("{} modules, {:.1f} MiB", proof.count, static_cast<double>(proof.bytes) / (1 << 20));
    case ProofKind::kProjections:
      return fmt::format("{} calls of SVD or QR took {} more than in a steady step", proof.count,
                         proof_time(proof.ns));
    case ProofKind::kSlowCalls:
      return fmt::format("in {}: {}", proof.name, calls_text(proof));
    case ProofKind::kProcessorWait:
      return fmt::format("{} in {} ready to run, without a processor", proof_time(proof.ns), proof.name);
    case ProofKind::kFaultsEstimated:
      return fmt::format("{:.0f} more in {} than in steady steps, {} each, as measured at the run's begin",
                         proof.more, proof.name, proof_time(proof.ns));
    case ProofKind::kFaultsTimed:
      return fmt::format("{:.0f} more in {} than in steady steps, {} each, by the phase's processor time",
                         proof.more, proof.name, proof_time(proof.ns));
    case ProofKind::kThreads:
      return fmt::format("{:.0f} in {}, {} each as measured at the run's begin", proof.more, proof.name,
                         proof_time(proof.ns));
    case ProofKind::kPrograms:
      return fmt::format("child processes that ended in {} had {} of processor time", proof.name,
                         proof_time(proof.ns));
    case ProofKind::kStateTensors:
      return fmt::format("{} tensors of state were made", proof.count);
    case ProofKind::kPhaseTime:
      return fmt::format("{} took {}, {} in steady steps", proof.name, proof_time(proof.ns),
                         proof_time(proof.usual_ns));
    case ProofKind::kPhaseProcessorTime:
      return fmt::format("{} of it at work", proof_time(proof.ns));
    case ProofKind::kLibraries:
      return "opened " + named_of(proof.libraries, proof.count);
  }
  return "";
}

}  // namespace

std::string_view cause_title(analysis::Cause cause) {
  return kCauseTitles.at(static_cast<std::size_t>(cause));
}

std::string proof_text(const std::vector<Proof>& proofs) {
  std::string text;
  for (const Proof& proof : proofs) text += (text.empty() ? "" : "; ") + evidence_text(proof);
  return text;
}

}  // namespace strata::report
