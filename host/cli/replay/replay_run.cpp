// SPDX-License-Identifier: Apache-2.0
#include "host/cli/replay/replay_run.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "host/analysis/allocator/allocator_calls.hpp"
#include "host/analysis/allocator/cuda_allocator.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/explain.hpp"
#include "host/cli/part_library.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/files/device_profile.hpp"
#include "host/replay/entry.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::cli {
namespace {

// Runs a replay in a separate process, because CUDA's allocator, its settings and the dry GPU cannot be
// changed within a process.

// Both ends of a pipe through which a result comes back, as the bytes that it is made of.
class ResultPipe {
 public:
  ResultPipe() {
    if (pipe(ends_.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot create a pipe for a replay");
  }
  ~ResultPipe() {
    close_end(0);
    close_end(1);
  }
  ResultPipe(const ResultPipe&) = delete;
  ResultPipe& operator=(const ResultPipe&) = delete;

  void close_end(std::size_t end) {
    if (ends_.at(end) >= 0) close(ends_.at(end));
    ends_.at(end) = -1;
  }

  void send(const replay::Result& result) const {
    send_all(result.problem);
    send_bytes(&result.outcome, sizeof result.outcome);
    send_all(result.after);
    send_all(result.emptied);
  }

  // False where it ends too early.
  bool receive(replay::Result& result) const {
    return receive_all(result.problem) && receive_bytes(&result.outcome, sizeof result.outcome) &&
           receive_all(result.after) && receive_all(result.emptied);
  }

 private:
  template <typename Sequence>
  void send_all(const Sequence& sequence) const {
    static_assert(std::is_trivially_copyable_v<typename Sequence::value_type>);
    const std::size_t count = sequence.size();
    send_bytes(&count, sizeof count);
    send_bytes(sequence.data(), count * sizeof(typename Sequence::value_type));
  }

  template <typename Sequence>
  bool receive_all(Sequence& sequence) const {
    std::size_t count = 0;
    if (!receive_bytes(&count, sizeof count)) return false;
    sequence.resize(count);
    return receive_bytes(sequence.data(), count * sizeof(typename Sequence::value_type));
  }

  void send_bytes(const void* bytes, std::size_t count) const {
    const auto* next = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t sent = write(ends_[1], next, count);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) throw std::system_error(errno, std::generic_category(), "cannot send a replay's result");
      next += sent;
      count -= static_cast<std::size_t>(sent);
    }
  }

  bool receive_bytes(void* bytes, std::size_t count) const {
    auto* next = static_cast<char*>(bytes);
    while (count > 0) {
      const ssize_t got = read(ends_[0], next, count);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

  std::array<int, 2> ends_{-1, -1};
};

static_assert(std::is_trivially_copyable_v<replay::Outcome>);

int replay_here(const DryChoice& choice, const replay::Request& request, const ResultPipe& pipe) {
  try {
    // Only the request determines a replay's settings.
    unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    unsetenv("PYTORCH_ALLOC_CONF");
    const DryGpu device(choice);
    device.copy_to_children();  // in which it tries what cannot be undone
    const auto replay =
        reinterpret_cast<replay::ReplayFunction>(find_in_part("libstrata_replay.so", replay::kReplaySymbol,
                                                              "the replay", {"libc10.so", "libc10_cuda.so"})
                                                     .address);
    pipe.send(replay(request));
    return kDone;
  } catch (...) {
    return explain_current_exception();
  }
}

// Replays on the first of the chosen devices. This process must have no other thread, and no torch. The child
// prints its messages to standard error. Throws UsageError if a replay is impossible, and std::runtime_error
// if the child died.
replay::Result replay_in_process(const DryChoice& choice, const replay::Request& request) {
  ResultPipe pipe;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a replay");
  if (pid == 0) {
    // Do not outlive a killed parent.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kFailed);
    pipe.close_end(0);
    // Runs no destructors of this process, whose owner is still using its objects.
    _exit(replay_here(choice, request, pipe));
  }
  pipe.close_end(1);
  replay::Result result;
  const bool is_whole = pipe.receive(result);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kUsage) throw UsageError("replay: nothing was replayed");
  if (!is_whole || status != 0)
    throw std::runtime_error(fmt::format("a replay's process ended {}",
                                         WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                                             : fmt::format("with {}", WEXITSTATUS(status))));
  return result;
}

using analysis::AllocatorCalls;
using analysis::Recording;
using analysis::ReplayRow;
using config::DeviceProfile;
using Kind = analysis::AllocatorCallKind;

// The allocator only depends on a card's memory.
constexpr const char* kAnyProfile = "h100-80gb";
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 40;

[[noreturn]] void refuse(const Recording& run, std::string_view why) {
  throw UsageError(fmt::format("replay: {}: {}", run.directory.string(), why));
}

void require_cuda_events(const Recording& run) {
  if (!run.thinned.is_empty())
    refuse(run, fmt::format("steps from {} on are thinned (store.max_mb), but a replay needs every call. "
                            "Record the run with store.max_mb=0, or record fewer steps",
                            run.thinned.intervals.front().first_step));
  if (run.allocator_events.empty())
    refuse(run,
           "no allocation was recorded. Record the run with the plugin allocator_tracer, which is on unless "
           "`plugins` leaves it out");
  if (analysis::leaves_unknown(run.cuda_allocator))
    refuse(run,
           fmt::format("its CUDA allocator was '{}', but a replay needs the requests to torch's own "
                       "allocator. Record it with torch's own: remove backend: from PYTORCH_CUDA_ALLOC_CONF",
                       run.cuda_allocator.name));
  if (!analysis::has_caching_allocator(run))
    refuse(run,
           "the run was on the CPU, whose allocator does not cache; on a card it would have requested other "
           "blocks. Record it on a card or a dry card: `strata run <config> --dry h100-80gb`");
}

// The card that the run was on; nothing where it was a real one.
std::optional<DeviceProfile> recorded_card(const Recording& run) {
  if (!run.dry) return std::nullopt;
  if (run.dry->memory_bytes == 0) return config::load_device_profile(run.dry->profile);  // no manifest
  DeviceProfile profile = config::load_device_profile(kAnyProfile);
  profile.key = run.dry->profile;
  profile.name = run.dry->name;
  profile.memory_bytes = run.dry->memory_bytes;
  profile.context_bytes = {run.dry->context_bytes_init, run.dry->context_bytes_init};
  for (const ContextPart& part : kContextParts) profile.*part.bytes = 0;
  for (const analysis::ContextPart& taken : run.dry->context_parts) {
    for (const ContextPart& part : kContextParts)
      if (part.name == taken.part) profile.*part.bytes = taken.bytes;
  }
  return profile;
}

DeviceProfile card_asked_for(const Recording& run, const std::optional<DeviceProfile>& recorded,
                             const ReplayOptions& options) {
  if (options.profile.empty() && !recorded)
    refuse(
        run,
        "the run was on a real card and does not record which profile matches it. Name one: --dry h100-80gb");
  DeviceProfile card = options.profile.empty() ? *recorded : config::load_device_profile(options.profile);
  if (!options.memory_bytes) return card;
  if (*options.memory_bytes <= card.context_bytes.high)
    throw UsageError(
        fmt::format("replay: --memory: {} bytes are not more than the {} bytes that a context needs on a {}; "
                    "give more, such as 24GiB",
                    *options.memory_bytes, card.context_bytes.high, card.name));
  if (*options.memory_bytes > kMostMemory) throw UsageError("replay: --memory: a dry card has at most 1TiB");
  card.memory_bytes = *options.memory_bytes;
  return card;
}

class RunReplay {
 public:
  RunReplay(const Recording& run, bool goes_on)
      : run_(run), recorded_(analysis::allocator_calls(run)), goes_on_(goes_on) {}

  const AllocatorCalls& recorded() const { return recorded_; }

  // The first replay, which also finds out where the program emptied the cache: the others do so there.
  ReplayRow as_recorded(const std::string& settings, const DeviceProfile& card, bool is_recorded_card) {
    follows_changes_ = true;
    replay::Result result = make(settings, card);
    ReplayRow row = finish(settings, card, result);
    row.card.is_recorded = is_recorded_card;
    row.comparison = compare(result);
    settle(result.emptied);
    return row;
  }

  ReplayRow with(const std::string& settings, const DeviceProfile& card, bool follows_changes) {
    follows_changes_ = follows_changes;
    return finish(settings, card, make(settings, card));
  }

 private:
  replay::Result make(const std::string& settings, const DeviceProfile& card,
                      std::size_t end = replay::kNoCall) const {
    DryChoice choice;
    choice.profile = card;
    take_parts(choice, settings);
    replay::Result result = replay_in_process(
        choice, {.calls = recorded_.calls,
                 .settings = settings,
                 .changes = follows_changes_ ? std::span(run_.allocator_settings_changes)
                                             : std::span<const analysis::AllocatorSettingsChange>(),
                 .goes_on = goes_on_,
                 .end = end});
    if (!result.problem.empty())
      throw UsageError(fmt::format("replay: the settings '{}': {}", settings, result.problem));
    return result;
  }

  // No kernel is launched and no library is used here. With the recorded settings the context grows after the
  // same number of calls for device memory as in the recorded run. Other settings make other calls:
  // everything is taken after the first one, because it may happen at any time. The memory of NCCL
  // communicators is taken from the beginning.
  void take_parts(DryChoice& choice, const std::string& settings) const {
    if (!run_.dry) return;
    const bool are_recorded = settings == run_.allocator_settings.value_or("");
    for (const analysis::ContextPart& taken : run_.dry->context_parts) {
      for (std::size_t index = 0; index < kContextParts.size(); ++index) {
        if (kContextParts[index].name != taken.part) continue;
        choice.parts_after[index] =
            are_recorded ? taken.after_calls : std::min<std::uint64_t>(taken.after_calls, 1);
      }
    }
    choice.profile.context_bytes.high += run_.dry->communicators * run_.dry->communicator_bytes;
    if (choice.profile.context_bytes.high >= choice.profile.memory_bytes)
      refuse(run_, "its context and communicators do not fit on the device");
  }

  ReplayRow finish(const std::string& settings, const DeviceProfile& card,
                   const replay::Result& result) const {
    const replay::Outcome& outcome = result.outcome;
    ReplayRow row{.settings = settings,
                  .follows_changes = follows_changes_ && !run_.allocator_settings_changes.empty(),
                  .card = {.profile = card.key, .name = card.name, .memory_bytes = card.memory_bytes},
                  .numbers = outcome.numbers,
                  .state = outcome.state,
                  .failure = {},
                  .goes_on = goes_on_,
                  .comparison = {}};
    if (outcome.failed_call != replay::kNoCall) {
      const analysis::AllocatorCall& call = recorded_.calls[outcome.failed_call];
      row.failure = {.sequence = call.sequence,
                     .bytes = call.bytes,
                     .free_bytes = outcome.device_free_bytes,
                     .place = analysis::place_of(run_, call)};
    } else if (outcome.peak_reserved_call != replay::kNoCall) {
      // A second replay, up to there: looking at every moment that may turn out to be it costs more.
      row.state = make(settings, card, outcome.peak_reserved_call).outcome.state;
    }
    return row;
  }

  analysis::ReplayComparison compare(const replay::Result& result) const {
    analysis::ReplayComparison comparison;
    const std::size_t known = std::min(recorded_.known, result.after.size());
    for (std::size_t index = 0; index < known; ++index) {
      const analysis::AllocatorCall& call = recorded_.calls[index];
      const replay::Sums& after = result.after[index];
      // The allocator's internal actions during a request are not compared, only its result.
      if (call.kind == Kind::kFreeNow || call.kind == Kind::kMaybeEmpty || call.kind == Kind::kReleasePool)
        continue;
      ++comparison.compared;
      const bool is_same =
          after.allocated_bytes == call.allocated_bytes && after.reserved_bytes == call.reserved_bytes;
      if (is_same) continue;
      if (++comparison.different > 1) continue;
      comparison.first = {call.sequence, call.allocated_bytes, call.reserved_bytes, after.allocated_bytes,
                          after.reserved_bytes};
    }
    return comparison;
  }

  // Replaces each kMaybeEmpty by its actual effect.
  void settle(const std::vector<std::size_t>& emptied) {
    std::vector<analysis::AllocatorCall> calls;
    calls.reserve(recorded_.calls.size());
    auto next = emptied.begin();
    analysis::AllocatorCall maybe;
    for (std::size_t index = 0; index < recorded_.calls.size(); ++index) {
      const analysis::AllocatorCall& call = recorded_.calls[index];
      if (call.kind == Kind::kMaybeEmpty) {
        maybe = call;
        continue;
      }
      if (next != emptied.end() && *next == index) {
        maybe.kind = Kind::kEmptyCache;
        calls.push_back(maybe);
        ++next;
      }
      calls.push_back(call);
    }
    recorded_.calls = std::move(calls);
  }

  const Recording& run_;
  AllocatorCalls recorded_;
  bool goes_on_;
  bool follows_changes_ = false;
};

}  // namespace

analysis::Replay replay_run(const Recording& run, const ReplayOptions& options) {
  require_cuda_events(run);
  require_dry_gpu();
  const std::optional<DeviceProfile> recorded = recorded_card(run);
  const DeviceProfile card = card_asked_for(run, recorded, options);
  const std::string own_settings = run.allocator_settings.value_or("");

  RunReplay replays(run, options.goes_on);
  analysis::Replay replay;
  replay.name = run.name;
  replay.directory = run.directory.string();
  replay.calls = replays.recorded().calls.size();
  replay.recorded_peak_allocated_bytes = replays.recorded().peak_allocated_bytes;
  replay.recorded_peak_reserved_bytes = replays.recorded().peak_reserved_bytes;
  replay.warnings = report::warning_texts(run.warnings);
  replay.settings_are_known = run.allocator_settings.has_value();
  replay.settings_changes = run.allocator_settings_changes;
  if (!replay.settings_are_known)
    replay.warnings.emplace_back(
        "the run does not record the allocator's settings; the defaults are assumed");
  const auto ran_out = [](const analysis::AllocatorCall& call) { return call.kind == Kind::kRunOutAgain; };
  if (std::ranges::any_of(replays.recorded().calls, ran_out))
    replay.warnings.emplace_back(
        "the run itself ran out of memory: its later requests are unknown, so a replay that fits shows only "
        "the least memory it needs");
  replay.rows.push_back(replays.as_recorded(own_settings, recorded.value_or(card), recorded.has_value()));
  const bool is_another = recorded && (!options.profile.empty() || options.memory_bytes);
  if (is_another) replay.rows.push_back(replays.with(own_settings, card, true));
  for (const std::string& settings : options.settings)
    replay.rows.push_back(replays.with(settings, card, false));
  return replay;
}

}  // namespace strata::cli
