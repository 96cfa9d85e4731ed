// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/explain_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/recording/recording.hpp"
#include "host/analysis/warm_up/call_excess.hpp"
#include "host/analysis/warm_up/claimed_time.hpp"
#include "host/analysis/warm_up/driver_time.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/tensor.h"

namespace strata::analysis {
namespace {

// The measured processor time of a phase is attributed to page faults if it is within this factor of their
// number times the cost of one: that cost varies this much between memory regions.
constexpr double kFaultTimeFactor = 1.6;
constexpr double kNoticeableNs = 1e6;

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

class StepExplainer {
 public:
  StepExplainer(const StepParts& step, const Comparison& comparison)
      : step_(step), run_(comparison.run), operators_(comparison.operators), usual_(comparison.usual) {
    result_.step = step.step;
    result_.ns = step.ns();
    result_.excess_ns = result_.ns - usual_.ns;
    left_ns_ = std::max(0.0, result_.excess_ns);
    for (const auto& [key, part] : step.parts) parts_.push_back(open(key, part));
    std::ranges::stable_sort(parts_, {}, [](const OpenPart& part) { return part.begin_ns; });
  }

  SlowStep explain() && {
    for (const OpenPart& part : parts_) {
      if (part.part->ns > 0.0 || part.excess_ns > 0.0)
        result_.phases.push_back({part.name, part.part->ns, part.part->ns - part.usual.ns});
    }
    claim_activities();
    // Before the operators: the calls that it fell into are longer by it.
    for (OpenPart& part : parts_) claim_processor_wait(part);
    claim_projections();
    for (OpenPart& part : parts_) claim_first_calls(part);
    for (OpenPart& part : parts_) {
      claim_page_faults(part);
      claim_threads(part);
      claim_programs(part);
    }
    for (OpenPart& part : parts_) claim_rest(part);
    std::erase_if(result_.causes, [](const CauseShare& share) { return share.ns <= 0.0; });
    std::ranges::stable_sort(result_.causes, std::ranges::greater{}, &CauseShare::ns);
    double given = 0.0;
    for (const CauseShare& share : result_.causes) given += share.ns;
    result_.unattributed_ns = std::max(0.0, result_.excess_ns - given);
    return std::move(result_);
  }

 private:
  struct OpenPart {
    PartKey key;
    const Part* part = nullptr;
    std::string name;
    UsualPart usual;
    std::int64_t begin_ns = 0;
    double excess_ns = 0.0;  // part not assigned yet
    double faults = 0.0;     // page faults over the usual ones that have no time yet
    double busy_ns = 0.0;    // part of the assigned time in which the thread was busy
    double libraries = 0.0;  // opened outside of first calls
  };

  OpenPart open(const PartKey& key, const Part& part) const {
    OpenPart opened;
    opened.key = key;
    opened.part = &part;
    opened.name = key.kind == kBetweenPhases ? "between phases" : run_.texts[key.name];
    if (const auto usual = usual_.parts.find(key); usual != usual_.parts.end()) opened.usual = usual->second;
    opened.excess_ns = std::max(0.0, part.ns - opened.usual.ns);
    opened.begin_ns =
        key.kind == kBetweenPhases || part.intervals.empty() ? INT64_MAX : part.intervals.front().begin_ns;
    opened.faults = more(opened, Counter::kFaults);
    opened.libraries = more(opened, Counter::kLibraries);
    return opened;
  }

  // Above the usual count; 0 if not counted.
  static double more(const OpenPart& part, Counter counter) {
    if (!part.part->counts) return 0.0;
    const double usual = part.usual.counts ? count(*part.usual.counts, counter) : 0.0;
    return std::max(0.0, count(*part.part->counts, counter) - usual);
  }

  CauseShare& share_of(Cause cause) {
    const auto found = std::ranges::find(result_.causes, cause, &CauseShare::cause);
    return found != result_.causes.end() ? *found
                                         : result_.causes.emplace_back(CauseShare{cause, 0.0, 0, {}});
  }

  // Assigns as much of `ns` as the part and the step have left.
  double give(OpenPart& part, Cause cause, double ns, double number, std::vector<Proof> proofs) {
    const double given = std::min({ns, part.excess_ns, left_ns_});
    if (given <= 0.0) return 0.0;
    part.excess_ns -= given;
    left_ns_ -= given;
    CauseShare& share = share_of(cause);
    share.ns += given;
    share.count += static_cast<std::uint64_t>(std::llround(number));
    std::ranges::move(proofs, std::back_inserter(share.proofs));
    return given;
  }

  void claim_activities() {
    for (OpenPart& part : parts_) {
      const bool any_thread = part.key.kind == STRATA_PHASE_BACKWARD || step_.thread == 0;
      DriverTime time(run_, claimed_);
      for (const Span& interval : part.part->intervals)
        time.add(interval.begin_ns, interval.end_ns, any_thread ? 0 : step_.thread);
      for (const CauseShare& share : time.shares())
        part.busy_ns += give(part, share.cause, share.ns, static_cast<double>(share.count), share.proofs);
    }
  }

  // Operators' times are of a step, not of a phase: projections are looked for where optimizers work first.
  void claim_projections() {
    double left = operators_.projection_excess_ns(step_.step);
    const std::uint64_t calls = operators_.projections(step_.step);
    const Proof proof{.kind = ProofKind::kProjections, .count = calls, .ns = left};
    bool told = false;
    for (const std::uint32_t kind : {STRATA_PHASE_OPTIMIZER, STRATA_PHASE_BACKWARD}) {
      for (OpenPart& part : parts_) {
        if (part.key.kind != kind || left <= 0.0) continue;
        const double given = give(part, Cause::kProjector, left, told ? 0.0 : static_cast<double>(calls),
                                  told ? std::vector<Proof>() : std::vector{proof});
        part.busy_ns += given;
        left -= given;
        told = told || given > 0.0;
      }
    }
  }

  void claim_first_calls(OpenPart& part) {
    const bool any_thread = part.key.kind == STRATA_PHASE_BACKWARD;
    const double waited_ns = part.part->counts ? count(*part.part->counts, Counter::kWaitNs) : 0.0;
    const CallExcess calls = call_excess({.part = *part.part,
                                          .thread = any_thread ? 0 : step_.thread,
                                          .faults = part.faults,
                                          .waited_ns = waited_ns},
                                         run_, operators_, claimed_);
    part.libraries = std::max(0.0, part.libraries - calls.libraries);
    part.faults -= calls.faults;
    part.busy_ns += give(part, Cause::kPageFaults, calls.fault_ns, calls.faults, {});
    for (const CallFamily& family : calls.families)
      part.busy_ns += give(part, family.cause, family.ns, static_cast<double>(family.calls),
                           {{.kind = ProofKind::kSlowCalls,
                             .name = part.name,
                             .count = family.calls,
                             .calls = family.longest}});
  }

  void claim_processor_wait(OpenPart& part) {
    const double ns = more(part, Counter::kWaitNs);
    std::vector<Proof> proofs;
    if (ns >= kNoticeableNs)
      proofs.push_back({.kind = ProofKind::kProcessorWait, .name = part.name, .ns = ns});
    give(part, Cause::kProcessorWait, ns, 0.0, std::move(proofs));
  }

  void claim_page_faults(OpenPart& part) {
    const double number = part.faults;
    double ns = number * run_.warm_up.page_fault_ns;
    if (ns <= 0.0) return;
    const double busy = more(part, Counter::kCpuNs) - part.busy_ns;
    const bool is_measured =
        ns >= kNoticeableNs && busy > ns / kFaultTimeFactor && busy < ns * kFaultTimeFactor;
    if (is_measured) ns = busy;
    std::vector<Proof> proofs;
    if (ns >= kNoticeableNs)
      proofs.push_back({.kind = is_measured ? ProofKind::kFaultsTimed : ProofKind::kFaultsEstimated,
                        .name = part.name,
                        .more = number,
                        .ns = ns / number});
    part.busy_ns += give(part, Cause::kPageFaults, ns, number, std::move(proofs));
    part.faults = 0.0;
  }

  void claim_threads(OpenPart& part) {
    const double number = more(part, Counter::kThreads);
    give(part, Cause::kThreads, number * run_.warm_up.thread_start_ns, number,
         {{.kind = ProofKind::kThreads,
           .name = part.name,
           .more = number,
           .ns = run_.warm_up.thread_start_ns}});
  }

  void claim_programs(OpenPart& part) {
    const double ns = more(part, Counter::kChildrenNs);
    give(part, Cause::kPrograms, ns, 1.0, {{.kind = ProofKind::kPrograms, .name = part.name, .ns = ns}});
  }

  // The unexplained rest of a phase is assigned to its known one-time work.
  void claim_rest(OpenPart& part) {
    std::vector<Proof> proofs{
        {.kind = ProofKind::kPhaseTime, .name = part.name, .ns = part.part->ns, .usual_ns = part.usual.ns}};
    if (part.part->counts && part.key.kind == STRATA_PHASE_DATA)
      proofs.push_back(
          {.kind = ProofKind::kPhaseProcessorTime, .ns = count(*part.part->counts, Counter::kCpuNs)});
    if (Proof opened = libraries_opened(part); opened.count > 0) proofs.push_back(std::move(opened));
    switch (part.key.kind) {
      case STRATA_PHASE_DATA:
        if (part.excess_ns >= kNoticeableNs)
          give(part, Cause::kDataLoader, part.excess_ns, 1.0, std::move(proofs));
        return;
      case STRATA_PHASE_GRADIENT_SYNC:
        if (part.excess_ns >= kNoticeableNs)
          give(part, Cause::kCommunicator, part.excess_ns, 1.0, std::move(proofs));
        return;
      case STRATA_PHASE_OPTIMIZER:
        if (const std::uint64_t tensors = state_made(); tensors > 0) {
          proofs.insert(proofs.begin(), {.kind = ProofKind::kStateTensors, .count = tensors});
          give(part, Cause::kOptimizerState, part.excess_ns, static_cast<double>(tensors), std::move(proofs));
          return;
        }
        break;
      default:
        break;
    }
    if (part.libraries >= 1.0)
      give(part, Cause::kSharedLibraries, part.excess_ns, part.libraries, std::move(proofs));
  }

  // Of none if no more were opened than in steady steps.
  Proof libraries_opened(const OpenPart& part) const {
    Proof opened{.kind = ProofKind::kLibraries};
    if (part.libraries < 1.0) return opened;
    for (const OpenedLibrary& library : run_.warm_up.libraries) {
      const bool is_here = std::ranges::any_of(part.part->intervals, [&](const Span& interval) {
        return library.ns > interval.begin_ns && library.ns <= interval.end_ns;
      });
      if (!is_here) continue;
      if (opened.count < kNamedInProof) opened.libraries.push_back(file_name(run_.texts[library.path]));
      ++opened.count;
    }
    return opened;
  }

  // Only for the first step: a trainer may report its state in each step.
  std::uint64_t state_made() const {
    const auto is_state = [](const TensorRow& tensor) {
      return tensor.role == STRATA_TENSOR_OPTIMIZER_STATE || tensor.role == STRATA_TENSOR_PROJECTOR;
    };
    const auto first = std::ranges::find_if(run_.tensors, is_state);
    if (first == run_.tensors.end() || first->sequence < step_.begin_sequence ||
        first->sequence > step_.end_sequence)
      return 0;
    return static_cast<std::uint64_t>(std::count_if(first, run_.tensors.end(), [&](const TensorRow& tensor) {
      return is_state(tensor) && tensor.sequence <= step_.end_sequence;
    }));
  }

  const StepParts& step_;
  const Recording& run_;
  const OperatorTimes& operators_;
  const UsualStep& usual_;
  SlowStep result_;
  double left_ns_ = 0.0;
  std::vector<OpenPart> parts_;
  ClaimedTime claimed_;
};

}  // namespace

SlowStep explain_step(const StepParts& step, const Comparison& comparison) {
  return StepExplainer(step, comparison).explain();
}

}  // namespace strata::analysis
