// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry/side_by_side.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "host/cli/dry/trial_output.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/training/interrupt.hpp"
#include "host/cli/training/rank_processes.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// The numbers that are still to be done, in a pipe: each process takes the next.
class Queue {
 public:
  explicit Queue(std::size_t count) {
    if (pipe(ends_) != 0) throw std::system_error(errno, std::generic_category(), "cannot create a pipe");
    for (std::size_t index = 0; index < count; ++index) {
      const auto number = static_cast<std::uint16_t>(index);
      if (write(ends_[1], &number, sizeof number) != sizeof number)
        throw std::system_error(errno, std::generic_category(), "cannot write to a pipe");
    }
    close(ends_[1]);
  }
  ~Queue() { close(ends_[0]); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  bool next(std::size_t& index) const {
    std::uint16_t number = 0;
    if (read(ends_[0], &number, sizeof number) != sizeof number) return false;
    index = number;
    return true;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::uint64_t free_memory_bytes() {
  std::ifstream stream("/proc/meminfo");
  for (std::string name; stream >> name; stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::uint64_t kibibytes = 0;
    if (name == "MemAvailable:" && stream >> kibibytes) return kibibytes << 10;
  }
  return std::uint64_t{1} << 30;
}

}  // namespace

std::vector<std::string> run_side_by_side(std::size_t count, std::size_t jobs,
                                          const std::function<std::string(std::size_t)>& body) {
  if (count == 0) return {};
  const ScratchFolder scratch("strata-side-by-side");
  const auto place = [&](std::size_t index, const char* end) {
    return scratch.path() / (std::to_string(index) + end);
  };
  const Queue queue(count);
  const auto workers = static_cast<std::uint32_t>(std::clamp<std::size_t>(jobs, 1, count));
  const int exit_code = run_rank_processes(workers, [&](const trainer::RankPlace&) {
    const InterruptGuard guard;
    for (std::size_t index = 0; queue.next(index);) {
      if (const int signal = InterruptGuard::signal(); signal != 0) return kSignalBase + signal;
      try {
        write_whole_file(place(index, ".result"), body(index));
      } catch (const TrialInterrupted& interrupted) {
        return interrupted.exit_code();
      } catch (const std::exception& error) {
        write_whole_file(place(index, ".error"), error.what());
      }
    }
    return static_cast<int>(kDone);
  });
  throw_if_interrupted(exit_code);
  std::vector<std::string> results;
  for (std::size_t index = 0; index < count; ++index) {
    if (fs::exists(place(index, ".error"))) throw std::runtime_error(content_of(place(index, ".error")));
    if (!fs::exists(place(index, ".result")))
      throw std::runtime_error(
          "a process that tries changes ended without a result; the host's memory may be full");
    results.push_back(content_of(place(index, ".result")));
  }
  return results;
}

std::size_t trials_at_once(std::uint64_t bytes_of_each) {
  const std::uint64_t by_memory = free_memory_bytes() / std::max<std::uint64_t>(bytes_of_each, 1);
  return std::clamp<std::size_t>(by_memory, 1, std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace strata::cli
