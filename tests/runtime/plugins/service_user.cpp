// SPDX-License-Identifier: Apache-2.0
// Calls its services through the ABI and writes their answers into an artifact, "answers.txt".
#include <cstdlib>
#include <ctime>
#include <string>

#include "strata/plugin.hpp"

namespace {

class ServiceUser {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), STRATA_DESCRIPTOR_WHOLE_RUN, "service_user", "1.0", "Asks", nullptr, 0, 0};

  explicit ServiceUser(const strata::Host& host)
      : host_(host),
        window_(host.service<strata_window_service>(STRATA_EXT_WINDOW)),
        threads_(host.service<strata_thread_check_service>(STRATA_EXT_THREAD_CHECK)),
        clock_(host.service<strata_clock_service>(STRATA_EXT_CLOCK)) {
    answer("window " + std::to_string(window_->first_step(host.abi())) + " to " +
           std::to_string(window_->last_step(host.abi())));
  }

  void begin_step(const strata_when& when, const strata_step_info& step) {
    answer("step " + std::to_string(step.index) + ": active " + std::to_string(window_->active(host_.abi())) +
           ", loop thread " + std::to_string(threads_->is_loop_thread(host_.abi())) +
           ", under an allocator " + std::to_string(threads_->is_under_allocator(host_.abi())));
    const std::int64_t later_ns = 1'000'000 + when.monotonic_ns;
    const std::int64_t calendar_ns = clock_->to_realtime_ns(host_.abi(), when.monotonic_ns);
    const std::int64_t passed_ns = clock_->to_realtime_ns(host_.abi(), later_ns) - calendar_ns;
    answer("a millisecond is " + std::to_string((passed_ns + 500'000) / 1'000'000) + " ms, today is " +
           (std::abs(calendar_ns / 1'000'000'000 - std::time(nullptr)) < 60 ? "today" : "another day"));
  }

  void on_memory(const strata_when&, const strata_memory_event&) {
    answer("memory: loop thread " + std::to_string(threads_->is_loop_thread(host_.abi())) +
           ", under an allocator " + std::to_string(threads_->is_under_allocator(host_.abi())));
  }

  void end_run(const strata_when&, std::uint32_t) {
    strata::ArtifactFile dropped(host_, "dropped.txt", "text/plain");
    dropped.write("nobody reads this");
    strata::ArtifactFile answers(host_, "answers.txt", "text/plain");
    answers.write(answers_);
    answers.commit();
  }

 private:
  void answer(const std::string& line) { answers_ += line + '\n'; }

  strata::Host host_;
  const strata_window_service* window_;
  const strata_thread_check_service* threads_;
  const strata_clock_service* clock_;
  std::string answers_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(ServiceUser)
