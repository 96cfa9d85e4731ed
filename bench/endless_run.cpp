// SPDX-License-Identifier: Apache-2.0
// A run of any length, without torch: steps of a few phases, with a source that emits allocations and
// frees through the session and the allocator tracer into a run store with a size limit.
//
//     bench_endless_run FOLDER STEPS EVENTS_A_STEP MAX_MB
//
// Prints one line of JSON: the process's memory after a tenth and after the whole run, the largest size of
// the store on disk, the number of emitted events, and the number of dropped rows.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/plugins/emitter.hpp"
#include "strata/events.h"
#include "strata/ext/memory.h"
#include "strata/runtime/session.hpp"

namespace {

using strata::Emitter;
using strata::PhaseKind;
using strata::Session;

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Counts the blocks that files occupy: spools are allocated at full size.
std::uint64_t bytes_on_disk(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code gone;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, gone)) {
    const std::uintmax_t size = entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
    if (size != static_cast<std::uintmax_t>(-1)) bytes += size;
  }
  return bytes;
}

// A caching allocator that hands out whole blocks of 512 bytes and counts them.
class Allocator {
 public:
  explicit Allocator(const Emitter& emitter) : emitter_(emitter) {
    event_.struct_size = sizeof event_;
    event_.device = {STRATA_DEVICE_CUDA, 0};
  }

  std::uint64_t allocate(std::uint64_t bytes) {
    const std::uint64_t address = free_.empty() ? next_ += 1 << 20 : free_.back();
    if (!free_.empty()) free_.pop_back();
    tell(STRATA_MEMORY_ALLOCATE, address, bytes);
    handed_out_ += (bytes + 511) / 512 * 512;
    return address;
  }
  void free(std::uint64_t address) {
    tell(STRATA_MEMORY_FREE, address, 0);
    free_.push_back(address);
  }
  std::uint64_t events() const { return events_; }

 private:
  void tell(std::uint32_t action, std::uint64_t address, std::uint64_t bytes) {
    event_.action = action;
    event_.address = address;
    event_.bytes = bytes;
    event_.device_handed_out_bytes = handed_out_;
    emitter_.emit->memory(emitter_.host, &event_);
    ++events_;
  }

  Emitter emitter_;
  strata_memory_event event_{};
  std::vector<std::uint64_t> free_;
  std::uint64_t next_ = std::uint64_t{1} << 40, handed_out_ = 512, events_ = 0;
};

strata::SessionOptions options_of(const std::filesystem::path& folder, std::uint64_t max_mb,
                                  Emitter& emitter) {
  strata::SessionOptions options;
  options.name = "endless";
  options.directory = folder;
  options.plugin_path = {STRATA_BENCH_PLUGINS};
  options.sources = {
      {"emitter", {{"address", std::to_string(reinterpret_cast<std::uintptr_t>(&emitter)), ""}}, ""}};
  options.plugins = {{STRATA_ALLOCATOR_TRACER, {}, ""}};
  options.strict = true;
  options.store.max_mb = max_mb;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::filesystem::path folder = argv[1];
  const std::uint64_t steps = std::strtoull(argv[2], nullptr, 10),
                      events = std::strtoull(argv[3], nullptr, 10);
  std::filesystem::create_directories(folder);
  Emitter emitter;
  Session session(options_of(folder, std::strtoull(argv[4], nullptr, 10), emitter));
  session.begin_run();
  session.ready();
  Allocator allocator(emitter);
  for (int parameter = 0; parameter < 8; ++parameter) allocator.allocate(100'000);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> alive, gradients;
  std::uint64_t resident_at_tenth = 0, most_on_disk = 0;
  auto looked = begin;
  for (std::uint64_t step = 0; step < steps; ++step) {
    session.begin_step(step, 1);
    const std::uint64_t until = allocator.events() + events;
    const std::uint32_t forward = session.begin_phase(PhaseKind::kForward, "forward");
    while (allocator.events() + alive.size() + 8 < until) {
      alive.push_back(allocator.allocate(700 + alive.size() % 64 * 300 + (step == steps / 3 ? 5'000 : 0)));
      if (alive.size() < 256) continue;
      for (std::size_t block = 0; block < 200; ++block) {
        allocator.free(alive.back());
        alive.pop_back();
      }
    }
    session.end_phase(forward);
    const std::uint32_t backward = session.begin_phase(PhaseKind::kBackward, "backward");
    for (const std::uint64_t gradient : gradients) allocator.free(gradient);
    gradients.clear();
    for (int gradient = 0; gradient < 4 && events > 0; ++gradient)
      gradients.push_back(allocator.allocate(100'000));
    for (const std::uint64_t block : alive) allocator.free(block);
    alive.clear();
    session.end_phase(backward);
    session.end_step({});
    if (step == steps / 10) resident_at_tenth = resident_bytes();
    if (const auto now = std::chrono::steady_clock::now(); now - looked > std::chrono::milliseconds(100)) {
      looked = now;
      most_on_disk = std::max(most_on_disk, bytes_on_disk(folder));
    }
  }
  const std::uint64_t resident_at_end = resident_bytes();
  session.end_run(strata::RunEnd::kDone);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print(
      "{{\"steps\": {}, \"events\": {}, \"seconds\": {:.1f}, \"resident_bytes_at_tenth\": {}, "
      "\"resident_bytes_at_end\": {}, \"most_bytes_on_disk\": {}, \"bytes_at_end\": {}}}\n",
      steps, allocator.events(), seconds, resident_at_tenth, resident_at_end, most_on_disk,
      bytes_on_disk(folder));
  return 0;
}
