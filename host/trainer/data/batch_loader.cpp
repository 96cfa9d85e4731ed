// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/batch_loader.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace strata::trainer {
namespace {

at::Tensor pinned_copy(const at::Tensor& tensor) {
  return at::empty(tensor.sizes(), tensor.options().pinned_memory(true)).copy_(tensor);
}

}  // namespace

BatchLoader::BatchLoader(const BatchReader& source, const LoadPlan& plan, OnPrefetched on_prefetched)
    : source_(source),
      plan_(plan),
      on_prefetched_(std::move(on_prefetched)),
      slots_(static_cast<std::size_t>(plan.prefetch)) {
  for (std::int64_t i = 0; i < plan.workers; ++i)
    workers_.emplace_back([this](const std::stop_token& stopping) { work(stopping); });
}

BatchLoader::~BatchLoader() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

Batch BatchLoader::next() {
  if (workers_.empty()) {
    Batch batch = read(taken_++);
    return plan_.pin_memory ? pin(batch) : batch;
  }
  std::unique_lock lock(mutex_);
  std::optional<Outcome>& place = slot(taken_);
  changed_.wait(lock, [&] { return place.has_value(); });
  Outcome outcome = std::move(*place);
  place.reset();
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  if (const auto* error = std::get_if<std::exception_ptr>(&outcome)) std::rethrow_exception(*error);
  return std::get<Batch>(std::move(outcome));
}

void BatchLoader::work(const std::stop_token& stopping) {
  const auto all_begun = [&] { return begun_ == plan_.micro_batches; };
  const auto has_room = [&] { return begun_ < taken_ + slots_.size(); };
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stopping, [&] { return all_begun() || has_room(); });
    if (all_begun() || stopping.stop_requested()) return;
    const std::uint64_t micro_batch = begun_++;
    lock.unlock();
    Outcome outcome = read_ahead(micro_batch);
    lock.lock();
    slot(micro_batch) = std::move(outcome);
    changed_.notify_all();
  }
}

BatchLoader::Outcome BatchLoader::read_ahead(std::uint64_t micro_batch) const {
  try {
    Batch batch = read(micro_batch);
    on_prefetched_(batch);
    if (!plan_.pin_memory) return batch;
    Batch pinned = pin(batch);
    on_prefetched_(pinned);
    return pinned;
  } catch (...) {
    return std::current_exception();
  }
}

Batch BatchLoader::read(std::uint64_t micro_batch) const {
  const std::uint64_t of_all_ranks = micro_batch * plan_.world_size + plan_.rank;
  const std::uint64_t samples_before = of_all_ranks * static_cast<std::uint64_t>(plan_.samples);
  return source_.read(plan_.first_sample + samples_before, plan_.samples);
}

Batch BatchLoader::pin(const Batch& batch) const {
  return {pinned_copy(batch.input), pinned_copy(batch.target)};
}

}  // namespace strata::trainer
