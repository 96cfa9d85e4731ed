// SPDX-License-Identifier: Apache-2.0
// record_allocations FOLDER SEED CALLS [WHAT...]: records a run that allocates blocks from the CUDA allocator
// and frees them at random, the same way for each seed. WHAT adds: streams (blocks used by other streams),
// pools (private pools), empty (empties the cache), threads (frees on another thread).
#include <ATen/Context.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "strata/runtime/session.hpp"

namespace strata::test {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;

class RandomProgram {
 public:
  RandomProgram(unsigned seed, std::set<std::string> what) : random_(seed), what_(std::move(what)) {
    for (int index = 0; index < 3; ++index) streams_.push_back(c10::cuda::getStreamFromPool(false, 0));
  }

  void call() {
    const unsigned dice = below(1000);
    if (dice < 4 && does("empty")) return caching::emptyCache();
    if (dice < 40 && does("streams")) return use_elsewhere();
    // The total grows to its limit, and occasionally drops to zero.
    if (below(2000) == 0) return free_all();
    if (held_ < kMostHeld && (blocks_.empty() || dice < 520)) return allocate();
    if (!blocks_.empty()) free();
  }

 private:
  struct Block {
    c10::DataPtr data;
    std::size_t bytes = 0;
  };

  static constexpr std::size_t kMostHeld = std::size_t{1200} << 20;

  bool does(const char* what) const { return what_.contains(what); }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  c10::cuda::CUDAStream a_stream() { return does("streams") ? streams_[below(3)] : streams_[0]; }

  std::size_t a_size() {
    const double power = 1.0 + 25.5 * below(100'000) / 100'000.0;
    return static_cast<std::size_t>(std::exp2(power));
  }

  void allocate() {
    const c10::cuda::CUDAStreamGuard guard(a_stream());
    const std::size_t bytes = a_size();
    const bool is_private = does("pools") && below(4) == 0;
    const c10::MempoolId_t pool{0, 1 + below(2)};
    if (is_private) caching::beginAllocateToPool(0, pool, [](cudaStream_t) { return true; });
    try {
      blocks_.push_back({caching::get()->allocate(bytes), bytes});
      held_ += bytes;
    } catch (const c10::OutOfMemoryError&) {
      ++failed_;
    }
    if (is_private) caching::endAllocateToPool(0, pool);
  }

  void free() {
    const std::size_t index = below(static_cast<unsigned>(blocks_.size()));
    std::swap(blocks_[index], blocks_.back());
    held_ -= blocks_.back().bytes;
    if (does("threads") && below(4) == 0) {
      std::thread([data = std::move(blocks_.back().data)]() mutable { data.clear(); }).join();
    }
    blocks_.pop_back();
  }

  void free_all() {
    blocks_.clear();
    held_ = 0;
  }

  // A stream works on a block of another stream, for some time if the device has a clock.
  void use_elsewhere() {
    if (blocks_.empty()) return;
    const Block& block = blocks_[below(static_cast<unsigned>(blocks_.size()))];
    const c10::cuda::CUDAStream stream = a_stream();
    for (int fill = 0; fill < 20; ++fill) cudaMemsetAsync(block.data.get(), 0, block.bytes, stream.stream());
    caching::recordStream(block.data, stream);
  }

  std::mt19937 random_;
  std::set<std::string> what_;
  std::vector<c10::cuda::CUDAStream> streams_;
  std::vector<Block> blocks_;
  std::size_t held_ = 0, failed_ = 0;
};

void record(const std::filesystem::path& folder, unsigned seed, int calls, std::set<std::string> what) {
  at::globalContext().lazyInitDevice(c10::kCUDA);
  std::filesystem::create_directories(folder);
  SessionOptions options;
  options.name = "random calls";
  options.directory = folder;
  options.sources = {{.name = "torch", .options = {}, .place = "here"}};
  options.plugins = {{.name = "allocator_tracer", .options = {}, .place = "here"}};
  options.strict = true;
  Session session(options);
  session.begin_run();
  session.describe("allocator", "{\"settings\": \"" + c10::CachingAllocator::getAllocatorSettings() + "\"}");
  session.ready();
  RandomProgram program(seed, std::move(what));
  constexpr int kSteps = 4;
  for (int step = 0; step < kSteps; ++step) {
    const Step recorded(session, static_cast<std::uint64_t>(step), 1);
    const Phase phase(session, PhaseKind::kForward, "forward");
    for (int call = 0; call < calls / kSteps; ++call) program.call();
  }
  session.end_run(RunEnd::kDone);
}

}  // namespace
}  // namespace strata::test

int main(int count, char** words) {
  try {
    if (count < 4) throw std::invalid_argument("expected FOLDER SEED CALLS [WHAT...]");
    strata::test::record(words[1], static_cast<unsigned>(std::atoi(words[2])), std::atoi(words[3]),
                         {words + 4, words + count});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_allocations: %s\n", error.what());
    return 1;
  }
}
