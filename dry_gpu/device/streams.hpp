// Streams, events and the graphs that streams record. Work is done when it is submitted, as far as the host
// can see any of it; so a stream is always idle and a recorded event complete.
//
// [any thread]: every function takes its one lock, but for `submit` while nothing is captured.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "dry_gpu/device/handles.hpp"

namespace strata::dry_gpu {

class Streams {
 public:
  explicit Streams(int devices);
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
  cudaError_t query(const CUevent_st* event);
  // Whether the host may wait for the stream's work.
  cudaError_t synchronize(CUstream_st* stream);
  // The same for all streams, and for calls that wait for them, as cudaMalloc may: no capture on this thread,
  // nor one in global mode anywhere, may be under way. `mode` is the calling thread's.
  cudaError_t synchronize_all(const void* thread, cudaStreamCaptureMode mode);

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

  // Runs `replay` now, or keeps it as a node of the graph that the stream records.
  template <typename Replay>
  cudaError_t submit(CUstream_st* stream, cudaGraphNodeType type, Replay&& replay) {
    if (captures_.load(std::memory_order_relaxed) != 0) {
      const Kept kept = keep(stream, type, replay);
      if (kept.is_captured) return kept.error;
    }
    replay();
    return cudaSuccess;
  }

 private:
  struct Kept {
    bool is_captured;
    cudaError_t error;
  };

  Kept keep(CUstream_st* stream, cudaGraphNodeType type, std::function<void()> replay);
  Capture* capture_of(unsigned long long id);

  std::mutex mutex_;
  std::atomic<int> captures_ = 0;
  unsigned long long last_stream_id_ = 0, last_capture_id_ = 0;
  std::deque<CUstream_st> streams_, defaults_;  // two defaults a device: legacy, and of each thread
  std::deque<CUevent_st> events_;
  std::vector<CUstream_st*> unused_streams_;
  std::vector<CUevent_st*> unused_events_;
  std::vector<std::unique_ptr<Capture>> under_way_;
};

}  // namespace strata::dry_gpu
