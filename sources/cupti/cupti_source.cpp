// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/cupti_source.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "sources/cupti/recording/refusal.hpp"

namespace strata::cupti {
namespace {

using std::chrono::steady_clock;

// The minimum interval between fetches of a step's records.
constexpr std::int64_t kFlushEveryNs = 1'000'000'000;
constexpr std::chrono::milliseconds kEndLimit{2000};

const strata_emit_service* emit_service(const Host& host) {
  const auto* const emit = host.service<strata_emit_service>(STRATA_EXT_EMIT);
  if (emit == nullptr || emit->activity == nullptr)
    throw std::runtime_error("this host accepts no events (it has no " STRATA_EXT_EMIT ").");
  return emit;
}

bool wanted_in_window(const Host& host, const strata_emit_service& emit) {
  if (!STRATA_HAS_FIELD(strata_emit_service, &emit, interest_in_window)) return true;
  return (emit.interest_in_window(host.abi()) & STRATA_INTEREST_ACTIVITY) != 0;
}

// CLOCK_MONOTONIC is steady_clock's.
steady_clock::time_point time_point(std::int64_t monotonic_ns) {
  return steady_clock::time_point(std::chrono::nanoseconds(monotonic_ns));
}

// The one that records: CUPTI lets no second one in.
std::atomic<CuptiSource*> recording_source{nullptr};

// Handlers run in the reverse order of their registration: one that is registered when CUDA and CUPTI are at
// work runs before theirs, and before the session's, which ends the run. A forked child has a copy of all,
// and records nothing.
void finish_at_exit() {
  static const pid_t registered_in = getpid();
  std::atexit([] {
    CuptiSource* const source = recording_source.load();
    if (source != nullptr && getpid() == registered_in) source->finish_before_exit();
  });
}

std::uint32_t this_os_thread() {
  static thread_local const auto thread = static_cast<std::uint32_t>(gettid());
  return thread;
}

}  // namespace

CuptiSource::CuptiSource(const Host& host)
    : host_(host),
      emit_(emit_service(host_)),
      settings_(read_settings(host_)),
      is_wanted_(wanted_in_window(host_, *emit_)) {
  if (!is_wanted_) return;
  if (host_.service<strata_store_service>(STRATA_EXT_STORE) != nullptr) captures_.emplace(host_);
  origins_ = std::make_unique<Origins>();
}

CuptiSource::~CuptiSource() {
  stop(host_.monotonic_ns() + std::chrono::nanoseconds(kEndLimit).count());
}

bool CuptiSource::listens_to(const char* id) const {
  if (!is_wanted_) return false;
  const auto is = [id](const char* known) { return std::strcmp(id, known) == 0; };
  if (is(STRATA_EXT_PHASE) || is(STRATA_EXT_MODULE) || is(STRATA_EXT_OP)) return settings_.correlate;
  return true;
}

bool CuptiSource::is_wanted_now() const {
  return (emit_->interest(host_.abi()) & STRATA_INTEREST_ACTIVITY) != 0;
}

void CuptiSource::begin_run(const strata_when& when, const strata_run_info&) {
  const std::scoped_lock lock(mutex_);
  is_for_whole_run_ = is_wanted_now();
  keeps_window_ = !is_for_whole_run_;
  if (is_for_whole_run_ || settings_.from_run_begin) start(when.monotonic_ns);
}

void CuptiSource::begin_step(const strata_when& when, const strata_step_info& step) {
  const std::scoped_lock lock(mutex_);
  const bool is_heard = is_wanted_now();
  if (owned_ == nullptr && (is_heard || step.schedule == STRATA_STEP_WARMUP)) start(when.monotonic_ns);
  if (!is_heard || !keeps_window_) return;
  keeps_window_ = false;
  if (owned_ != nullptr) owned_->keep_from(when.monotonic_ns);
}

// Fetches in between, so that records of a long window do not accumulate within CUPTI.
void CuptiSource::end_step(const strata_when& when, const strata_step_info&, const strata_step_result&) {
  const std::scoped_lock lock(mutex_);
  if (owned_ == nullptr) return;
  // The recording may have begun before the program used a device.
  if (std::exchange(awaits_device_, false)) finish_at_exit();
  if (when.monotonic_ns - last_flush_ns_ < kFlushEveryNs) return;
  last_flush_ns_ = when.monotonic_ns;
  owned_->fetch();
  say_warnings();
}

void CuptiSource::flush(std::uint32_t reason, std::int64_t deadline_ns) {
  if (reason == STRATA_FLUSH_EXITING) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || owned_ == nullptr) return;
    owned_->wait_for_reader(time_point(deadline_ns));
    write_row(host_.monotonic_ns());
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (owned_ == nullptr) return;
  if (reason != STRATA_FLUSH_WINDOW_END || !is_for_whole_run_) {
    stop(deadline_ns);
    return;
  }
  owned_->flush(time_point(deadline_ns));
  say_warnings();
}

// The current lock holder is starting or ending the recording.
void CuptiSource::finish_before_exit() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) stop(host_.monotonic_ns() + std::chrono::nanoseconds(kEndLimit).count());
}

void CuptiSource::end_run(const strata_when& when, std::uint32_t reason) {
  if (reason == STRATA_RUN_EXITED) return;
  const std::scoped_lock lock(mutex_);
  stop(when.monotonic_ns + std::chrono::nanoseconds(kEndLimit).count());
}

void CuptiSource::start(std::int64_t now_ns) {
  if (gave_up_) return;
  try {
    if (!library_) {
      library_ = open_library(settings_.library);
      warn_of_copies();
    }
    if (const std::string problem = describe_dry(*library_); !problem.empty()) {
      refused(Regime::kUnavailable, "", problem, now_ns);
      return;
    }
    SubscribeAnswer answer = subscribe(*library_, settings_.may_share);
    if (answer.subscription != nullptr) {
      start_with(std::move(answer.subscription), now_ns);
    } else if (is_busy(answer.result)) {
      refused(Regime::kBusy, answer.holder, describe_holder(answer.holder), now_ns);
    } else {
      refused(Regime::kUnavailable, "", describe_refusal(*library_, answer.result), now_ns);
    }
  } catch (const std::exception& error) {
    refused(Regime::kUnavailable, "", error.what(), now_ns);
  }
}

void CuptiSource::start_with(std::unique_ptr<Subscription> subscription, std::int64_t now_ns) {
  owned_ = std::make_unique<Recording>(host_, *library_, settings_, *origins_, std::move(subscription));
  say_warnings();
  begin_ns_ = last_flush_ns_ = now_ns;
  said_busy_ = false;
  ++generation_;
  recording_.store(owned_.get());
  recording_source.store(this);
  finish_at_exit();
  awaits_device_ = true;
  if (!profiler_) profiler_.emplace();
  starves_profiler_ = owned_->regime() == Regime::kAlone && !said_profiler_;
  warn_of_profiler();
}

void CuptiSource::refused(Regime regime, const std::string& holder, const std::string& reason,
                          std::int64_t now_ns) {
  const bool waits = regime == Regime::kBusy && settings_.on_busy == OnBusy::kWait;
  gave_up_ = !waits;
  if (waits && std::exchange(said_busy_, true)) return;
  if (captures_) {
    captures_->write({.begin_ns = now_ns,
                      .end_ns = now_ns,
                      .regime = regime,
                      .library = library_ ? &*library_ : nullptr,
                      .holder = holder,
                      .reason = reason,
                      .refused_kinds = {}},
                     {});
  }
  if (waits) {
    host_.warning(reason + ". It is tried again at each step of the window (on_busy: wait)");
  } else if (regime == Regime::kBusy && settings_.on_busy == OnBusy::kNvtx) {
    host_.warning("no device activity is recorded: " + reason + " (on_busy: nvtx)");
  } else {
    host_.log(STRATA_LOG_PLUGIN_FAILED, reason.c_str());
  }
}

// Threads inside push or pop still use it: each takes less than a microsecond.
void CuptiSource::stop(std::int64_t deadline_ns) {
  if (owned_ == nullptr) return;
  recording_.store(nullptr);
  recording_source.store(nullptr);
  starves_profiler_ = false;
  while (pushes_.load() != 0) std::this_thread::yield();
  owned_->finish(time_point(deadline_ns));
  say_warnings();
  write_row(host_.monotonic_ns());
  owned_.reset();
}

void CuptiSource::write_row(std::int64_t end_ns) {
  const Recording::Sums sums = owned_->take_sums();
  if (sums.dropped != 0) {
    host_.warning(std::to_string(sums.dropped) +
                  " records of device activity were dropped, because all buffers were full: raise `buffers` "
                  "or `buffer_bytes`");
  }
  if (!captures_) return;
  captures_->write({.begin_ns = begin_ns_,
                    .end_ns = end_ns,
                    .regime = owned_->regime(),
                    .library = &*library_,
                    .holder = {},
                    .reason = {},
                    .refused_kinds = owned_->refused_kinds()},
                   sums);
}

void CuptiSource::say_warnings() const {
  for (const std::string& warning : owned_->take_warnings()) host_.warning(warning);
}

void CuptiSource::warn_of_copies() const {
  const std::vector<std::string> copies = mapped_libraries();
  if (copies.size() < 2) return;
  std::string text;
  for (const std::string& copy : copies) text += (text.empty() ? "" : ", ") + copy;
  host_.warning("more than one libcupti is loaded, and each records separately: " + text + "; Strata uses " +
                library_->path);
}

void CuptiSource::warn_of_profiler() {
  if (!starves_profiler_ || !profiler_->records() || !starves_profiler_.exchange(false)) return;
  said_profiler_ = true;
  host_.warning(
      "torch.profiler (Kineto) records in this process, but its traces have no device events, because Strata "
      "uses CUPTI, which allows only one tool at a time. Start torch.profiler before this run's window, or "
      "leave out either torch.profiler or the plugins that record devices");
}

std::uint64_t CuptiSource::push(const Origin& origin) {
  pushes_.fetch_add(1);
  Recording* const recording = recording_.load();
  const bool pushed = recording != nullptr && recording->push(origin);
  const std::uint64_t token = pushed ? generation_.load() : 0;
  pushes_.fetch_sub(1);
  return token;
}

// On another thread than its begin's, at the run's end, there is nothing to take back.
void CuptiSource::pop(const strata_when& when, std::uint64_t token) {
  if (token == 0 || when.thread != this_os_thread()) return;
  pushes_.fetch_add(1);
  Recording* const recording = recording_.load();
  if (recording != nullptr && token == generation_) recording->pop();
  pushes_.fetch_sub(1);
}

std::uint64_t CuptiSource::begin_phase(const strata_when& when, const strata_phase_info& phase) {
  return push({when.op, phase.ordinal, when.module});
}
void CuptiSource::end_phase(const strata_when& when, const strata_phase_info&, std::uint64_t token) {
  pop(when, token);
}

std::uint64_t CuptiSource::begin_module(const strata_when& when, const strata_module_info& module) {
  return push({when.op, when.phase, module.ordinal});
}
void CuptiSource::end_module(const strata_when& when, const strata_module_info&, std::uint64_t token) {
  pop(when, token);
}

std::uint64_t CuptiSource::begin_op(const strata_when& when, const strata_op_info& op) {
  warn_of_profiler();
  return push({op.ordinal, when.phase, when.module});
}
void CuptiSource::end_op(const strata_when& when, const strata_op_info&, std::uint64_t token) {
  pop(when, token);
}

}  // namespace strata::cupti

STRATA_EXPORT_PLUGINS(strata::cupti::CuptiSource)
