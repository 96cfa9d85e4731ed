// SPDX-License-Identifier: Apache-2.0
// The targets of CUDA's opaque handles. CUDA's headers declare the names and leave the definitions to the
// implementation.
//
// Streams and events are never freed, only reused: so a handle that outlives its object can be distinguished
// from a live one. Members that change after creation are guarded by the lock of Streams, unless stated
// otherwise.
#pragma once

#include "dry_gpu/cuda_api.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace strata::dry_gpu {

// A stream that records a graph, with the streams that joined it.
struct Capture {
  unsigned long long id;
  cudaStreamCaptureMode mode;
  CUstream_st* origin;
  const void* thread;  // the thread that began it
  bool invalidated = false;
  std::unique_ptr<CUgraph_st> graph;
  std::vector<CUstream_st*> streams;
};

}  // namespace strata::dry_gpu

struct CUgraphNode_st {
  cudaGraphNodeType type;
  std::vector<CUgraphNode_st*> dependencies;
  std::function<void(CUstream_st&)> replay;  // its host-visible effect, in the stream that launches it
  std::uint64_t number = 0;                  // from 1; unique among nodes
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

// Shared with the captures of its launches, which may outlive it.
struct CUgraphExec_st {
  std::shared_ptr<const std::vector<CUgraphNode_st>> nodes;
  unsigned long long flags = 0;
  std::uint32_t number = 0;  // from 1
};

struct CUstream_st {
  int device = 0;
  int priority = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  bool is_live = false;
  bool is_legacy = false;
  strata::dry_gpu::Capture* capture = nullptr;
  std::vector<CUgraphNode_st*> last_nodes;  // dependencies of the capture's next node
  std::int64_t busy_until_ns = 0;           // on the modelled clock, guarded by the clock's lock
  std::int64_t added_ns = 0;                // total of Streams::add_time
  // Streams::await_observer: the next event is to be seen complete by another thread. Once recorded, the
  // pointer is that event, until it has been seen.
  bool marks_next_event = false;
  CUevent_st* unseen = nullptr;
};

struct CUevent_st {
  int device = 0;
  unsigned flags = 0;
  bool is_live = false;
  bool is_recorded = false;
  unsigned long long capture = 0;  // the id of the last capture that recorded it, or 0
  std::int64_t done_at_ns = 0;     // on the modelled clock
  std::int64_t added_ns = 0;       // the stream's total when it was recorded
  CUstream_st* recorded_in = nullptr;
  std::thread::id recorded_by{};
  std::vector<CUgraphNode_st*> nodes;
};

struct CUctx_st {
  int device = 0;
};
