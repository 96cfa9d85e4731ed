// SPDX-License-Identifier: Apache-2.0
// Streams, events and the graphs that streams record. Work is done when it is submitted, as far as the host
// can see any of it; so a stream is always idle and a recorded event complete, unless a modelled clock says
// that its time has not come.
//
// [any thread]: every function takes its one lock, but for `submit` while nothing is captured.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "dry_gpu/device/handles.hpp"

namespace strata::dry_gpu {

class Clock;

class Streams {
 public:
  // Null: there is no modelled clock. It must outlive this.
  Streams(int devices, Clock* clock);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  CUstream_st* create_stream(int device, unsigned flags, int priority);
  cudaError_t destroy(CUstream_st* stream);

  // The stream that a handle means on a device: 0, cudaStreamLegacy and cudaStreamPerThread are no pointers.
  // Null: it was destroyed.
  CUstream_st* resolve(cudaStream_t handle, int device);

  CUevent_st* create_event(int device, unsigned flags);
  cudaError_t destroy(CUevent_st* event);

  cudaError_t record(CUevent_st* event, CUstream_st* stream);
  cudaError_t wait(CUstream_st* stream, CUevent_st* event);
  // The stream has work that takes long on a card, and whose end another thread of the program looks out for:
  // by the next event that the stream records. Before another stream waits for this one, the host gives such
  // a thread kLongestObservation to see that event complete.
  void await_observer(CUstream_st* stream);
  static constexpr std::chrono::milliseconds kLongestObservation{250};
  // The same as nodes of the graph that the stream records: done by each launch, and no bond between
  // captures.
  cudaError_t record_in_graph(CUevent_st* event, CUstream_st* stream);
  cudaError_t wait_in_graph(CUstream_st* stream, const CUevent_st* event);
  // cudaErrorNotReady: not by the modelled clock.
  cudaError_t query(CUevent_st* event);
  cudaError_t query(CUstream_st* stream);
  // Whether the host may wait for that; then it has.
  cudaError_t synchronize(const CUevent_st* event);
  cudaError_t synchronize(CUstream_st* stream);
  // The same for all streams, and for calls that wait for them, as cudaMalloc may: no capture on this thread,
  // nor one in global mode anywhere, may be under way. `mode` is the calling thread's.
  cudaError_t synchronize_all(const void* thread, cudaStreamCaptureMode mode);
  struct Asked {
    cudaError_t error = cudaSuccess;
    std::int64_t ns = 0;  // where there is no error
  };
  // Between two events that are recorded and timed, by the modelled clock; without one 0 and what was told.
  Asked elapsed(const CUevent_st* begin, const CUevent_st* end);
  // The same is longer by so much between events around this: for work that a program times to choose among
  // several. The stream is not busy with it.
  void add_time(CUstream_st* stream, std::int64_t ns);

  cudaError_t begin_capture(CUstream_st* stream, cudaStreamCaptureMode mode, const void* thread);
  cudaError_t end_capture(CUstream_st* stream, const void* thread, CUgraph_st** graph);

  struct CaptureState {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    CUgraph_st* graph = nullptr;
    // Valid until the stream's next call, as CUDA says.
    const std::vector<CUgraphNode_st*>* last_nodes = nullptr;
  };
  CaptureState capture_state(const CUstream_st* stream);

  // Runs `replay` now, or keeps it as a node of the graph that the stream records. It takes the stream that
  // it runs in, or nothing.
  template <typename Replay>
  cudaError_t submit(CUstream_st* stream, cudaGraphNodeType type, Replay&& replay) {
    if constexpr (std::is_invocable_v<Replay&>) {
      return submit(stream, type, [replay](CUstream_st&) { replay(); });
    } else {
      if (captures_.load(std::memory_order_relaxed) != 0) {
        const Kept kept = keep(stream, type, replay);
        if (kept.is_captured) return kept.error;
      }
      replay(*stream);
      return cudaSuccess;
    }
  }

 private:
  struct Kept {
    bool is_captured;
    cudaError_t error;
  };

  Kept keep(CUstream_st* stream, cudaGraphNodeType type, std::function<void(CUstream_st&)> replay);
  Capture* capture_of(unsigned long long id);
  // Whether the host may ask for that now; a capture that it belongs to ends in failure. Of an event, when it
  // is done.
  Asked may_ask_for(const CUevent_st* event);
  cudaError_t may_ask_for(CUstream_st* stream);
  bool is_live(const CUevent_st* event);
  void let_observe(std::unique_lock<std::mutex>& lock, CUstream_st& stream);

  Clock* const clock_;
  std::mutex mutex_;
  std::condition_variable observed_;
  std::atomic<int> captures_ = 0;
  unsigned long long last_stream_id_ = 0, last_capture_id_ = 0;
  std::deque<CUstream_st> streams_, defaults_;  // two defaults a device: legacy, and of each thread
  std::deque<CUevent_st> events_;
  std::vector<CUstream_st*> unused_streams_;
  std::vector<CUevent_st*> unused_events_;
  std::vector<std::unique_ptr<Capture>> under_way_;
};

}  // namespace strata::dry_gpu
