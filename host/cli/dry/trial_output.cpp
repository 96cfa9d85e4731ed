// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/trial_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <deque>
#include <fstream>
#include <string_view>
#include <system_error>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/pace.hpp"
#include "host/cli/exit_code.hpp"

namespace strata::cli {
namespace {

bool is_of_user(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

what_if::TrialFailure describe(const analysis::MemoryFacts& facts, const analysis::OutOfMemory& failure) {
  return {.requested_bytes = failure.requested_bytes,
          .op = facts.texts[failure.op],
          .layer = facts.texts[failure.layer],
          .phase = failure.held.phase,
          .allocated_bytes = failure.held.allocated_bytes,
          .held = failure.held.categories};
}

}  // namespace

TrialInterrupted::TrialInterrupted(int exit_code)
    : std::runtime_error("interrupted"), exit_code_(exit_code) {}

void throw_if_interrupted(int exit_code) {
  if (is_of_user(exit_code - kSignalBase)) throw TrialInterrupted(exit_code);
}

void redirect_output(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  dup2(descriptor, STDOUT_FILENO);
  dup2(descriptor, STDERR_FILENO);
  ::close(descriptor);
}

std::string last_lines(const std::filesystem::path& file, std::size_t lines) {
  std::ifstream stream(file);
  std::deque<std::string> last;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    last.push_back(std::move(line));
    if (last.size() > lines) last.pop_front();
  }
  constexpr std::string_view kSpeaker = "strata: ";
  std::string text;
  for (const std::string& line : last) {
    text += text.empty() ? "" : "\n";
    text += line.starts_with(kSpeaker) ? line.substr(kSpeaker.size()) : line;
  }
  return text;
}

what_if::TrialReport trial_report(const analysis::MemoryFacts& facts, bool fits) {
  what_if::TrialReport report;
  report.fits = fits;
  if (facts.dry) {
    report.memory_bytes = facts.dry->memory_bytes;
    report.context_bytes =
        facts.dry->context_bytes_used + facts.dry->communicators * facts.dry->communicator_bytes;
    report.step_ns = analysis::modelled_step_ns(facts);
  }
  report.allocated_bytes = facts.peak.allocated_bytes;
  report.categories = facts.peak.categories;
  for (const analysis::ReservedPoint& point : facts.reserved)
    report.reserved_bytes = std::max(report.reserved_bytes, point.bytes);
  if (!fits && !facts.out_of_memory.empty()) report.failure = describe(facts, facts.out_of_memory.back());
  return report;
}

}  // namespace strata::cli
