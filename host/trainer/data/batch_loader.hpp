// SPDX-License-Identifier: Apache-2.0
// Provides the run's micro-batches in order, read on demand or ahead by threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {

struct LoadPlan {
  std::uint64_t first_sample = 0;  // earlier ones were read by the resumed run
  std::int64_t samples = 0;        // per micro-batch
  std::uint64_t rank = 0;          // which of `world_size` simultaneous micro-batches to read here
  std::uint64_t world_size = 1;
  std::uint64_t micro_batches = 0;  // for the whole run on this rank: no more are read
  std::int64_t workers = 0;         // reading threads; 0: the thread that calls `next`
  std::int64_t prefetch = 1;        // maximum number read ahead, including those being read
  bool pin_memory = false;          // into memory for asynchronous copies to CUDA devices
};

class BatchLoader {
 public:
  // [any] Called with each micro-batch made by a worker, before `next` can return it; with pinned memory also
  // with the unpinned original. Its exceptions are thrown by `next`.
  using OnPrefetched = std::function<void(const Batch&)>;

  // Starts the workers. `source` must outlive the loader.
  BatchLoader(const BatchReader& source, const LoadPlan& plan, OnPrefetched on_prefetched);
  // Waits for reads in progress.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // The next micro-batch, independent of which thread read it. Throws the exception of its read; with workers
  // not when it happened, but when its turn comes. Call it at most `plan.micro_batches` times, on one thread.
  Batch next();

 private:
  using Outcome = std::variant<Batch, std::exception_ptr>;

  void work(const std::stop_token& stopping);
  Outcome read_ahead(std::uint64_t micro_batch) const;
  Batch read(std::uint64_t micro_batch) const;
  Batch pin(const Batch& batch) const;
  std::optional<Outcome>& slot(std::uint64_t micro_batch) { return slots_[micro_batch % slots_.size()]; }

  const BatchReader& source_;
  const LoadPlan plan_;
  const OnPrefetched on_prefetched_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t taken_ = 0;                    // by `next`
  std::uint64_t begun_ = 0;                    // by workers: below taken_ + prefetch
  std::vector<std::optional<Outcome>> slots_;  // micro-batch i is at index i % prefetch

  std::vector<std::jthread> workers_;  // last member: they use all others
};

}  // namespace strata::trainer
