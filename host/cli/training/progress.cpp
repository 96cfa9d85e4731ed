// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "host/cli/terminal.hpp"

namespace strata::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kNextLine{5};
constexpr int kBarColumns = 24;
constexpr const char* kLineStart = "\r\x1b[K";

std::string rate(const trainer::Progress& progress) {
  const double seconds = static_cast<double>(progress.step_ns) * 1e-9;
  const double tokens = static_cast<double>(progress.tokens);
  const double per_second = seconds > 0 ? tokens / seconds : 0.0;
  if (per_second >= 1e6) return fmt::format("{:.1f}M {}/s", per_second / 1e6, progress.unit);
  if (per_second >= 1e3) return fmt::format("{:.1f}k {}/s", per_second / 1e3, progress.unit);
  return fmt::format("{:.0f} {}/s", per_second, progress.unit);
}

}  // namespace

std::string progress_text(const trainer::Progress& progress, std::uint64_t resident_bytes) {
  // A dry device has no loss, and its host's speed means nothing.
  const std::string computed =
      progress.loss ? fmt::format("loss {:.4f}  {}  ", *progress.loss, rate(progress)) : "";
  return fmt::format("step {}/{}  {}{} MiB resident", progress.step, progress.steps, computed,
                     resident_bytes >> 20);
}

std::string progress_bar(std::uint64_t done, std::uint64_t total, int width) {
  const auto columns = static_cast<std::uint64_t>(width);
  const std::uint64_t full = total == 0 ? columns : std::min(columns, done * columns / total);
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", columns - full);
}

std::uint64_t resident_bytes() {
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

ProgressDisplay::~ProgressDisplay() {
  if (drawn_) complain("\n");
}

void ProgressDisplay::show(const trainer::Progress& progress) {
  const auto now = steady_clock::now();
  const bool edge = !last_ || progress.step == progress.steps;
  const steady_clock::duration interval = terminal_ ? steady_clock::duration(kRedraw) : kNextLine;
  if (!edge && now - *last_ < interval) return;
  last_ = now;
  const std::string text = progress_text(progress, resident_bytes());
  if (!terminal_) {
    complain(text + '\n');
    return;
  }
  std::string line = progress_bar(progress.step, progress.steps, kBarColumns) + " " + text;
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(1, columns(STDERR_FILENO) - 1))));
  complain(kLineStart + line);
  drawn_ = true;
}

}  // namespace strata::cli
