// SPDX-License-Identifier: Apache-2.0
// Hands out the run's micro-batches in their order, read when they are asked for or ahead by threads.
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
  std::uint64_t first_sample = 0;  // earlier ones were read by the run that this one resumes
  std::int64_t samples = 0;        // of one micro-batch
  std::uint64_t rank = 0;          // which of `world_size` micro-batches of the same time is read here
  std::uint64_t world_size = 1;
  std::uint64_t micro_batches = 0;  // of the whole run, here: no more are read
  std::int64_t workers = 0;         // threads that read; 0: the one that calls `next`
  std::int64_t prefetch = 1;        // micro-batches that are read ahead at most, those being read included
  bool pin_memory = false;          // into memory that CUDA copies from while the host goes on
};

class BatchLoader {
 public:
  // [any] Called with each micro-batch that a worker made, before `next` can return it; with pinned memory
  // also with the one that was copied from. What it throws, `next` throws.
  using OnPrefetched = std::function<void(const Batch&)>;

  // Starts the workers. `source` must outlive the loader.
  BatchLoader(const BatchReader& source, const LoadPlan& plan, OnPrefetched on_prefetched);
  // Waits for the reads that have begun.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  // The next micro-batch, the same whoever read it. Throws what its read threw: with workers not when that
  // happened, but when its turn has come. Call it at most `plan.micro_batches` times, on one thread.
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
  std::vector<std::optional<Outcome>> slots_;  // of micro-batch i: i % prefetch

  std::vector<std::jthread> workers_;  // last: they use all the rest
};

}  // namespace strata::trainer
