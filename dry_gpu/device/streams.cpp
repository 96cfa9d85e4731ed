// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/streams.hpp"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "dry_gpu/clock/clock.hpp"
#include "dry_gpu/device/graph_nodes.hpp"

namespace strata::dry_gpu {

Streams::Streams(int devices, Clock* clock)
    : clock_(clock), defaults_(static_cast<std::size_t>(2 * devices)) {
  for (int index = 0; index < 2 * devices; ++index) {
    CUstream_st& stream = defaults_[static_cast<std::size_t>(index)];
    stream.device = index / 2;
    stream.is_legacy = index % 2 == 0;
    stream.is_live = true;
    stream.id = ++last_stream_id_;
  }
}

CUstream_st* Streams::create_stream(int device, unsigned flags, int priority) {
  const std::scoped_lock lock(mutex_);
  CUstream_st* stream = nullptr;
  if (unused_streams_.empty()) {
    stream = &streams_.emplace_back();
  } else {
    stream = unused_streams_.back();
    unused_streams_.pop_back();
  }
  *stream = {.device = device,
             .priority = priority,
             .flags = flags,
             .id = ++last_stream_id_,
             .is_live = true,
             .last_nodes = {}};
  return stream;
}

cudaError_t Streams::destroy(CUstream_st* stream) {
  const std::scoped_lock lock(mutex_);
  if (stream == nullptr || !stream->is_live) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr) {
    stream->capture->invalidated = true;
    std::erase(stream->capture->streams, stream);
  }
  stream->is_live = false;
  unused_streams_.push_back(stream);
  return cudaSuccess;
}

CUstream_st* Streams::resolve(cudaStream_t handle, int device) {
  const bool is_default = handle == nullptr || handle == cudaStreamLegacy;
  if (is_default || handle == cudaStreamPerThread)
    return &defaults_[2 * static_cast<std::size_t>(device) + (is_default ? 0 : 1)];
  return handle->is_live ? handle : nullptr;
}

CUevent_st* Streams::create_event(int device, unsigned flags) {
  const std::scoped_lock lock(mutex_);
  CUevent_st* event = nullptr;
  if (unused_events_.empty()) {
    event = &events_.emplace_back();
  } else {
    event = unused_events_.back();
    unused_events_.pop_back();
  }
  *event = {.device = device, .flags = flags, .is_live = true, .nodes = {}};
  return event;
}

cudaError_t Streams::destroy(CUevent_st* event) {
  const std::scoped_lock lock(mutex_);
  if (event == nullptr || !event->is_live) return cudaErrorInvalidResourceHandle;
  event->is_live = false;
  unused_events_.push_back(event);
  return cudaSuccess;
}

cudaError_t Streams::record(CUevent_st* event, CUstream_st* stream) {
  const std::scoped_lock lock(mutex_);
  if (!event->is_live) return cudaErrorInvalidResourceHandle;
  event->is_recorded = true;
  event->capture = stream->capture == nullptr ? 0 : stream->capture->id;
  event->nodes = stream->last_nodes;
  event->recorded_in = stream;
  event->recorded_by = std::this_thread::get_id();
  event->added_ns = stream->added_ns;
  if (std::exchange(stream->marks_next_event, false)) stream->unseen = event;
  if (clock_ != nullptr && stream->capture == nullptr) event->done_at_ns = clock_->record(*stream);
  return cudaSuccess;
}

void Streams::await_observer(CUstream_st* stream) {
  const std::scoped_lock lock(mutex_);
  stream->marks_next_event = stream->capture == nullptr;
}

// Waits for each event once: where no thread looks, later waits go on at once.
void Streams::let_observe(std::unique_lock<std::mutex>& lock, CUstream_st& stream) {
  if (stream.unseen == nullptr) return;
  observed_.wait_for(lock, kLongestObservation, [&] { return stream.unseen == nullptr; });
  stream.unseen = nullptr;
}

// A stream that waits for work of a capture joins it; work outside is nothing that a graph could wait for.
cudaError_t Streams::wait(CUstream_st* stream, CUevent_st* event) {
  std::unique_lock lock(mutex_);
  if (!event->is_live) return cudaErrorInvalidResourceHandle;
  if (!event->is_recorded) return cudaSuccess;
  Capture* const theirs = capture_of(event->capture);
  if (theirs == nullptr) {
    if (stream->capture == nullptr) {
      // An event recorded only by a graph has no stream of its own.
      if (event->recorded_in != nullptr && event->recorded_in != stream)
        let_observe(lock, *event->recorded_in);
      if (clock_ != nullptr) clock_->hold_back(*stream, event->done_at_ns);
      return cudaSuccess;
    }
    stream->capture->invalidated = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (stream->is_legacy) {
    theirs->invalidated = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (stream->capture != nullptr && stream->capture != theirs) {
    stream->capture->invalidated = theirs->invalidated = true;
    return cudaErrorStreamCaptureMerge;
  }
  if (stream->capture == nullptr) {
    stream->capture = theirs;
    theirs->streams.push_back(stream);
  }
  for (CUgraphNode_st* node : event->nodes) {
    if (std::ranges::find(stream->last_nodes, node) == stream->last_nodes.end())
      stream->last_nodes.push_back(node);
  }
  return cudaSuccess;
}

// CUDA: the flags for these are invalid outside of a capture.
cudaError_t Streams::record_in_graph(CUevent_st* event, CUstream_st* stream) {
  if (!is_live(event)) return cudaErrorInvalidResourceHandle;
  const Kept kept = keep(stream, cudaGraphNodeTypeEventRecord, [this, event](CUstream_st& launched_in) {
    const std::scoped_lock lock(mutex_);
    event->is_recorded = event->is_live;
    event->capture = 0;
    event->nodes.clear();
    if (clock_ != nullptr) event->done_at_ns = clock_->record(launched_in);
  });
  return kept.is_captured ? kept.error : cudaErrorInvalidValue;
}

cudaError_t Streams::wait_in_graph(CUstream_st* stream, const CUevent_st* event) {
  if (!is_live(event)) return cudaErrorInvalidResourceHandle;
  const Kept kept = keep(stream, cudaGraphNodeTypeWaitEvent, [this, event](CUstream_st& launched_in) {
    const std::scoped_lock lock(mutex_);
    if (clock_ != nullptr) clock_->hold_back(launched_in, event->done_at_ns);
  });
  return kept.is_captured ? kept.error : cudaErrorInvalidValue;
}

cudaError_t Streams::query(CUevent_st* event) {
  const Asked asked = may_ask_for(event);
  if (asked.error != cudaSuccess) return asked.error;
  if (clock_ != nullptr && !clock_->is_past(asked.ns)) return cudaErrorNotReady;
  const std::scoped_lock lock(mutex_);
  CUstream_st* const stream = event->recorded_in;
  if (stream != nullptr && stream->unseen == event && event->recorded_by != std::this_thread::get_id()) {
    stream->unseen = nullptr;
    observed_.notify_all();
  }
  return cudaSuccess;
}

cudaError_t Streams::query(CUstream_st* stream) {
  if (const cudaError_t error = may_ask_for(stream)) return error;
  return clock_ == nullptr || clock_->is_past(clock_->done_at(*stream)) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t Streams::synchronize(const CUevent_st* event) {
  const Asked asked = may_ask_for(event);
  if (asked.error == cudaSuccess && clock_ != nullptr) clock_->wait_until(asked.ns);
  return asked.error;
}

cudaError_t Streams::synchronize(CUstream_st* stream) {
  if (const cudaError_t error = may_ask_for(stream)) return error;
  if (clock_ != nullptr) clock_->wait_until(clock_->done_at(*stream));
  return cudaSuccess;
}

Streams::Asked Streams::elapsed(const CUevent_st* begin, const CUevent_st* end) {
  std::int64_t ns = 0;
  std::int64_t done_at_ns = 0;
  {
    const std::scoped_lock lock(mutex_);
    for (const CUevent_st* event : {begin, end}) {
      if (!event->is_live || !event->is_recorded || (event->flags & cudaEventDisableTiming) != 0)
        return {.error = cudaErrorInvalidResourceHandle};
    }
    if (begin->device != end->device) return {.error = cudaErrorInvalidResourceHandle};
    ns = end->done_at_ns - begin->done_at_ns;
    done_at_ns = std::max(begin->done_at_ns, end->done_at_ns);
    if (begin->recorded_in == end->recorded_in) ns += end->added_ns - begin->added_ns;
  }
  if (clock_ != nullptr && !clock_->is_past(done_at_ns)) return {.error = cudaErrorNotReady};
  return {.ns = ns};
}

void Streams::add_time(CUstream_st* stream, std::int64_t ns) {
  const std::scoped_lock lock(mutex_);
  stream->added_ns += ns;
}

Streams::Asked Streams::may_ask_for(const CUevent_st* event) {
  const std::scoped_lock lock(mutex_);
  if (!event->is_live) return {.error = cudaErrorInvalidResourceHandle};
  if (Capture* const capture = capture_of(event->capture)) {
    capture->invalidated = true;
    return {.error = cudaErrorCapturedEvent};
  }
  return {.ns = event->done_at_ns};
}

cudaError_t Streams::may_ask_for(CUstream_st* stream) {
  if (captures_.load(std::memory_order_relaxed) == 0) return cudaSuccess;
  const std::scoped_lock lock(mutex_);
  if (stream->capture != nullptr) {
    stream->capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (!stream->is_legacy) return cudaSuccess;
  for (const auto& capture : under_way_) {
    if ((capture->origin->flags & cudaStreamNonBlocking) != 0) continue;
    capture->invalidated = true;
    return cudaErrorStreamCaptureImplicit;
  }
  return cudaSuccess;
}

cudaError_t Streams::synchronize_all(const void* thread, cudaStreamCaptureMode mode) {
  if (captures_.load(std::memory_order_relaxed) == 0 || mode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  const std::scoped_lock lock(mutex_);
  for (const auto& capture : under_way_) {
    const bool of_this_thread = capture->thread == thread && capture->mode != cudaStreamCaptureModeRelaxed;
    const bool of_any = capture->mode == cudaStreamCaptureModeGlobal && mode == cudaStreamCaptureModeGlobal;
    if (!of_this_thread && !of_any) continue;
    capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

cudaError_t Streams::begin_capture(CUstream_st* stream, cudaStreamCaptureMode mode, const void* thread) {
  const std::scoped_lock lock(mutex_);
  if (stream->is_legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->id = ++last_capture_id_;
  capture->mode = mode;
  capture->origin = stream;
  capture->thread = thread;
  capture->graph = std::make_unique<CUgraph_st>();
  capture->streams = {stream};
  stream->capture = capture.get();
  stream->last_nodes.clear();
  under_way_.push_back(std::move(capture));
  captures_.fetch_add(1, std::memory_order_relaxed);
  return cudaSuccess;
}

cudaError_t Streams::end_capture(CUstream_st* stream, const void* thread, CUgraph_st** graph) {
  const std::scoped_lock lock(mutex_);
  *graph = nullptr;
  Capture* const capture = stream->capture;
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->origin != stream) {
    capture->invalidated = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != thread)
    return cudaErrorStreamCaptureWrongThread;

  // All work of the joined streams must come together again in the stream that began.
  const auto is_joined = [&](CUstream_st* joined) {
    return std::ranges::all_of(joined->last_nodes, [&](const CUgraphNode_st* node) {
      if (std::ranges::find(stream->last_nodes, node) != stream->last_nodes.end()) return true;
      return std::ranges::any_of(capture->graph->nodes, [&](const auto& other) {
        return std::ranges::find(other->dependencies, node) != other->dependencies.end();
      });
    });
  };
  const bool joined = std::ranges::all_of(capture->streams, is_joined);
  const cudaError_t error = capture->invalidated ? cudaErrorStreamCaptureInvalidated
                            : !joined            ? cudaErrorStreamCaptureUnjoined
                                                 : cudaSuccess;
  for (CUstream_st* each : capture->streams) {
    each->capture = nullptr;
    each->last_nodes.clear();
  }
  if (error == cudaSuccess) *graph = capture->graph.release();
  std::erase_if(under_way_, [&](const auto& each) { return each.get() == capture; });
  captures_.fetch_sub(1, std::memory_order_relaxed);
  return error;
}

Streams::CaptureState Streams::capture_state(const CUstream_st* stream) {
  if (captures_.load(std::memory_order_relaxed) == 0) return {};
  const std::scoped_lock lock(mutex_);
  if (stream->capture == nullptr) return {};
  if (stream->capture->invalidated) return {.status = cudaStreamCaptureStatusInvalidated};
  return {cudaStreamCaptureStatusActive, stream->capture->id, stream->capture->graph.get(),
          &stream->last_nodes};
}

Streams::Kept Streams::keep(CUstream_st* stream, cudaGraphNodeType type,
                            std::function<void(CUstream_st&)> replay) {
  std::unique_lock lock(mutex_);
  Capture* const capture = stream->capture;
  if (capture == nullptr) {
    // Work of the legacy stream waits for that of every blocking stream.
    if (!stream->is_legacy) return {false, cudaSuccess};
    const auto blocking = std::ranges::find_if(under_way_, [&](const auto& other) {
      return other->origin->device == stream->device && (other->origin->flags & cudaStreamNonBlocking) == 0;
    });
    if (blocking == under_way_.end()) return {false, cudaSuccess};
    (*blocking)->invalidated = true;
    return {true, cudaErrorStreamCaptureImplicit};
  }
  if (capture->invalidated) return {true, cudaErrorStreamCaptureInvalidated};
  auto node = std::make_unique<CUgraphNode_st>(CUgraphNode_st{
      .type = type, .dependencies = std::move(stream->last_nodes), .replay = std::move(replay)});
  CUgraphNode_st& made = *node;
  stream->last_nodes = {&made};
  capture->graph->nodes.push_back(std::move(node));
  lock.unlock();
  node_was_made(made, nullptr);
  return {true, cudaSuccess};
}

bool Streams::is_live(const CUevent_st* event) {
  const std::scoped_lock lock(mutex_);
  return event->is_live;
}

Capture* Streams::capture_of(unsigned long long id) {
  const auto capture = std::ranges::find_if(under_way_, [&](const auto& each) { return each->id == id; });
  return capture == under_way_.end() ? nullptr : capture->get();
}

}  // namespace strata::dry_gpu
