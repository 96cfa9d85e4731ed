// SPDX-License-Identifier: Apache-2.0
// The targets of CUDA's opaque handles. CUDA's headers declare the names and leave the definitions to the
// implementation.
//
// Streams and events are never freed, only reused: so a handle that outlives its object can be distinguished
// from a live one. Members that change after creation are guarded by the lock of Streams, unless stated
// otherwise.
#pragma once

#include "dry_gpu/cuda_api.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
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

// What graphs keep alive for a program. When its last reference is gone, `destroy` is called with `pointer`:
// by a thread of CUDA's own on a card, here by the one that let go, without a lock.
struct CUuserObject_st {
  CUuserObject_st(void* pointer, cudaHostFn_t destroy, unsigned references)
      : pointer_(pointer), destroy_(destroy), references_(references) {}

  void retain(unsigned count) { references_ += count; }
  // False: it has fewer references.
  bool release(unsigned count) {
    unsigned held = references_;
    do {
      if (count > held) return false;
    } while (!references_.compare_exchange_weak(held, held - count));
    if (count == held) {
      destroy_(pointer_);
      delete this;
    }
    return true;
  }

 private:
  ~CUuserObject_st() = default;

  void* pointer_;
  cudaHostFn_t destroy_;
  std::atomic<unsigned> references_;
};

namespace strata::dry_gpu {

// The references of a graph.
class UserObjects {
 public:
  UserObjects() = default;
  // An executable graph has references of its own.
  UserObjects(const UserObjects& other) : counts_(other.counts_) {
    for (const auto& [object, count] : counts_) object->retain(count);
  }
  UserObjects& operator=(const UserObjects&) = delete;
  ~UserObjects() {
    for (const auto& [object, count] : counts_) object->release(count);
  }

  // Takes over references.
  void add(CUuserObject_st* object, unsigned count) { counts_[object] += count; }
  // False: it has fewer references.
  bool release(CUuserObject_st* object, unsigned count) {
    const auto found = counts_.find(object);
    if (found == counts_.end() || found->second < count) return false;
    found->second -= count;
    if (found->second == 0) counts_.erase(found);
    return object->release(count);
  }

 private:
  std::map<CUuserObject_st*, unsigned> counts_;
};

}  // namespace strata::dry_gpu

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  strata::dry_gpu::UserObjects objects;
};

// Shared with the captures of its launches, which may outlive it.
struct CUgraphExec_st {
  std::shared_ptr<const std::vector<CUgraphNode_st>> nodes;
  strata::dry_gpu::UserObjects objects;
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
