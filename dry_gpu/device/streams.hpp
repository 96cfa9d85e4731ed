// SPDX-License-Identifier: Apache-2.0
// Streams, events and the graphs that streams record. As far as the host can see, work is done when it is
// submitted. So a stream is always idle and a recorded event complete, unless the modelled clock says that
// its time has not come.
//
// [any thread]: every function takes its one lock, except `submit` while nothing is captured.
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
  // Null if there is no modelled clock. It must outlive this.
  Streams(int devices, Clock* clock);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  CUstream_st* create_stream(int device, unsigned flags, int priority);
  cudaError_t destroy(CUstream_st* stream);

  // The stream of a handle on a device: 0, cudaStreamLegacy and cudaStreamPerThread are not pointers. Null if
  // it was destroyed.
  CUstream_st* resolve(cudaStream_t handle, int device);

  CUevent_st* create_event(int device, unsigned flags);
  cudaError_t destroy(CUevent_st* event);

  cudaError_t record(CUevent_st* event, CUstream_st* stream);
  cudaError_t wait(CUstream_st* stream, CUevent_st* event);
  // The stream has work that takes long on a real GPU, and another thread of the program watches for its end
  // through the next event that the stream records. Before another stream waits for this one, the host gives
  // that thread kLongestObservation to see the event complete.
  void await_observer(CUstream_st* stream);
  static constexpr std::chrono::milliseconds kLongestObservation{250};
  // The same as nodes of the graph that the stream records: performed by each launch, and without a
  // dependency between captures.
  cudaError_t record_in_graph(CUevent_st* event, CUstream_st* stream);
  cudaError_t wait_in_graph(CUstream_st* stream, const CUevent_st* event);
  // cudaErrorNotReady if it is not complete on the modelled clock.
  cudaError_t query(CUevent_st* event);
  cudaError_t query(CUstream_st* stream);
  // Whether the host may wait for it; if so, the wait is over.
  cudaError_t synchronize(const CUevent_st* event);
  cudaError_t synchronize(CUstream_st* stream);
  // The same for all streams, and for calls that wait for them, such as cudaMalloc: there must be no capture
  // on this thread, and none in global mode on any thread. `mode` is the calling thread's.
  cudaError_t synchronize_all(const void* thread, cudaStreamCaptureMode mode);
  struct Asked {
    cudaError_t error = cudaSuccess;
    std::int64_t ns = 0;  // valid if there is no error
  };
  // The time between two recorded timing events on the modelled clock; without a clock 0, plus the time from
  // add_time.
  Asked elapsed(const CUevent_st* begin, const CUevent_st* end);
  // Lengthens the time between events around this call: for work that a program times to choose among several
  // variants. The stream is not busy during it.
  void add_time(CUstream_st* stream, std::int64_t ns);

  cudaError_t begin_capture(CUstream_st* stream, cudaStreamCaptureMode mode, const void* thread);
  cudaError_t end_capture(CUstream_st* stream, const void* thread, CUgraph_st** graph);

  struct CaptureState {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    CUgraph_st* graph = nullptr;
    // Valid until the stream's next call, as in CUDA.
    const std::vector<CUgraphNode_st*>* last_nodes = nullptr;
  };
  CaptureState capture_state(const CUstream_st* stream);

  // Runs `replay` now, or keeps it as a node of the graph that the stream records. It is called with the
  // stream that it runs in, or without arguments.
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
  // Whether the host may ask for it now; if it belongs to a capture, that capture fails. For an event, also
  // when it is done.
  Asked may_ask_for(const CUevent_st* event);
  cudaError_t may_ask_for(CUstream_st* stream);
  bool is_live(const CUevent_st* event);
  void let_observe(std::unique_lock<std::mutex>& lock, CUstream_st& stream);

  Clock* const clock_;
  std::mutex mutex_;
  std::condition_variable observed_;
  std::atomic<int> captures_ = 0;
  unsigned long long last_stream_id_ = 0, last_capture_id_ = 0;
  std::deque<CUstream_st> streams_, defaults_;  // two defaults per device: legacy, and per-thread
  std::deque<CUevent_st> events_;
  std::vector<CUstream_st*> unused_streams_;
  std::vector<CUevent_st*> unused_events_;
  std::vector<std::unique_ptr<Capture>> under_way_;
};

}  // namespace strata::dry_gpu
