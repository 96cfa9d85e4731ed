// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/counters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace strata::warmup_analyzer {
namespace {

std::int64_t nanoseconds(const timeval& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_usec * 1'000;
}

// The folder of the process's threads has two links more than threads: a hundredth of the cost of reading it.
std::uint32_t thread_count() noexcept {
  struct stat folder {};
  if (stat("/proc/self/task", &folder) != 0 || folder.st_nlink < 3) return 0;
  return static_cast<std::uint32_t>(folder.st_nlink - 2);
}

}  // namespace

std::int64_t RunQueueWait::read_ns(std::uint32_t thread) noexcept {
  if (thread_ != thread) {
    close();
    thread_ = thread;
    file_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  }
  if (file_ < 0) return -1;
  char text[128];  // "<on a processor> <waiting> <times>"
  const ssize_t bytes = pread(file_, text, sizeof text - 1, 0);
  if (bytes <= 0) return -1;
  text[bytes] = '\0';
  char* end = text;
  std::strtoll(text, &end, 10);
  return *end == ' ' ? std::strtoll(end, nullptr, 10) : -1;
}

void RunQueueWait::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

std::uint64_t thread_minor_faults() noexcept {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return static_cast<std::uint64_t>(use.ru_minflt);
}

SampleRow with_counters(SampleRow row, RunQueueWait& wait) noexcept {
  rusage thread{}, process{}, children{};
  getrusage(RUSAGE_THREAD, &thread);
  getrusage(RUSAGE_SELF, &process);
  getrusage(RUSAGE_CHILDREN, &children);
  row.threads = thread_count();
  row.thread_cpu_ns = nanoseconds(thread.ru_utime) + nanoseconds(thread.ru_stime);
  row.thread_wait_ns = wait.read_ns(row.thread);
  row.thread_minor_faults = static_cast<std::uint64_t>(thread.ru_minflt);
  row.thread_major_faults = static_cast<std::uint64_t>(thread.ru_majflt);
  row.minor_faults = static_cast<std::uint64_t>(process.ru_minflt);
  row.major_faults = static_cast<std::uint64_t>(process.ru_majflt);
  row.involuntary_switches = static_cast<std::uint64_t>(process.ru_nivcsw);
  row.children_cpu_ns = nanoseconds(children.ru_utime) + nanoseconds(children.ru_stime);
  return row;
}

}  // namespace strata::warmup_analyzer
