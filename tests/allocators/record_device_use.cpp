// SPDX-License-Identifier: Apache-2.0
// record_device_use FOLDER WHAT [HOW...]: records a run of two steps that use CUDA's memory in one of the
// ways named below, and prints the running totals of a plugged-in allocator as a JSON list. HOW: plugged
// (replaces torch's allocator), backward (frees what the forward made), reports (records c10's own memory
// reporting too).
#include <ATen/Context.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "strata/runtime/session.hpp"

namespace strata::test {
namespace {

namespace caching = c10::cuda::CUDACachingAllocator;
using Tensors = std::vector<at::Tensor>;

constexpr std::int64_t kMiB = 1 << 20;

at::Tensor block(std::int64_t mebibytes, const char* device = "cuda:0", std::int64_t more = 0) {
  return at::empty({mebibytes * kMiB + more}, at::TensorOptions().dtype(at::kByte).device(device));
}

at::Tensor pinned_block(std::int64_t mebibytes) {
  return at::empty({mebibytes * kMiB}, at::TensorOptions().dtype(at::kByte).pinned_memory(true));
}

// The default stream cannot use free blocks of the other stream.
void use_streams(Tensors& held) {
  {
    const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool(false, 0));
    held.push_back(block(24));
    const at::Tensor cached = block(40);
  }
  held.push_back(block(100));
}

void use_pools(Tensors& held) {
  const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool(false, 0));
  held.push_back(block(100));
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  held.push_back(block(30));
  graph.capture_end();
}

void use_devices(Tensors& held) {
  held.push_back(block(16));
  held.push_back(block(48, "cuda:1"));
  held.push_back(pinned_block(8));
  held.push_back(block(4, "cpu"));
}

void use_threads(Tensors& held) {
  std::thread([&] { held.push_back(block(32, "cuda:0", 100)); }).join();
  std::thread([&] { held.front().reset(); }).join();
}

// Threads that allocate and free concurrently, each on its own stream.
void use_racing_threads(Tensors&) {
  std::vector<std::thread> threads;
  for (std::int64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool(false, 0));
      Tensors own;
      for (std::int64_t call = 0; call < 150; ++call) {
        own.push_back(block(0, "cuda:0", 1 + (call * 7919 + thread * 104729) % 70'000));
        if (call % 3 == 2) own.erase(own.begin() + call % 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void use_raw(Tensors&) {
  void* const raw = caching::raw_alloc(5 * kMiB);
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(false, 0);
  void* const on_stream = caching::raw_alloc_with_stream(3 * kMiB, stream.stream());
  caching::raw_delete(raw);
  caching::raw_delete(on_stream);
  void* const by_allocator = caching::get()->raw_alloc(7 * kMiB);
  caching::get()->raw_delete(by_allocator);
}

void run_out(Tensors& held) {
  held.push_back(block(64, "cuda:0", 3));
  try {
    held.push_back(block(std::int64_t{1} << 20));
  } catch (const c10::OutOfMemoryError&) {
    held.push_back(block(2));
  }
}

const std::map<std::string_view, std::function<void(Tensors&)>> kUses{
    {"streams", &use_streams},  {"pools", &use_pools},         {"devices", &use_devices},
    {"threads", &use_threads},  {"race", &use_racing_threads}, {"raw", &use_raw},
    {"out_of_memory", &run_out}};

// An allocator that a program may use instead of torch's.
class PluggedAllocator {
 public:
  static void* allocate(std::size_t bytes, int device, cudaStream_t /*stream*/) {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
    void* address = nullptr;
    if (cudaMalloc(&address, bytes) != cudaSuccess) {
      (void)cudaGetLastError();
      return nullptr;
    }
    count(static_cast<std::int64_t>(bytes));
    return address;
  }
  static void free(void* address, std::size_t bytes, int /*device*/, cudaStream_t /*stream*/) {
    count(-static_cast<std::int64_t>(bytes));
    cudaFree(address);
  }
  static const std::vector<std::int64_t>& totals() { return totals_; }

 private:
  static void count(std::int64_t change) {
    const std::lock_guard lock(mutex_);
    totals_.push_back((totals_.empty() ? 0 : totals_.back()) + change);
  }

  static inline std::mutex mutex_;
  static inline std::vector<std::int64_t> totals_;
};

void record(const std::filesystem::path& folder, std::string_view what, const std::set<std::string>& how) {
  if (how.contains("plugged")) {
    torch::cuda::CUDAPluggableAllocator::changeCurrentAllocator(
        torch::cuda::CUDAPluggableAllocator::createCustomAllocator(&PluggedAllocator::allocate,
                                                                   &PluggedAllocator::free));
  }
  at::globalContext().lazyInitDevice(c10::kCUDA);
  std::filesystem::create_directories(folder);
  Tensors older{block(10)};  // older than the run: no event, not even for its free
  const std::size_t counted_before = PluggedAllocator::totals().size();
  SessionOptions options;
  options.name = "device use";
  options.directory = folder;
  options.sources = {{.name = "torch", .options = {}, .place = "here"}};
  if (how.contains("reports"))
    options.sources[0].options = {{.key = "cross_check", .text = "true", .place = "here"}};
  options.plugins = {{.name = "allocator_tracer", .options = {}, .place = "here"}};
  options.strict = true;
  Session session(options);
  session.begin_run();
  session.ready();
  Tensors held;
  for (std::uint64_t index = 0; index < 2; ++index) {
    const Step step(session, index, 1);
    {
      const Phase phase(session, PhaseKind::kForward, "forward");
      held.clear();
      held.push_back(block(1));
      kUses.at(what)(held);
    }
    if (!how.contains("backward")) continue;
    const Phase phase(session, PhaseKind::kBackward, "backward");
    held.clear();
  }
  older.clear();
  const std::string name = caching::name();
  session.end_run(RunEnd::kDone);
  if (caching::name() != name) throw std::runtime_error("the allocator is another one after the run");
  held.clear();  // blocks outlive the run
  std::string totals;
  for (std::size_t index = counted_before; index < PluggedAllocator::totals().size(); ++index)
    totals += (totals.empty() ? "" : ", ") + std::to_string(PluggedAllocator::totals()[index]);
  std::printf("[%s]\n", totals.c_str());
}

}  // namespace
}  // namespace strata::test

int main(int count, char** words) {
  try {
    if (count < 3) throw std::invalid_argument("expected FOLDER WHAT [HOW...]");
    strata::test::record(words[1], words[2], {words + 3, words + count});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_device_use: %s\n", error.what());
    return 1;
  }
}
