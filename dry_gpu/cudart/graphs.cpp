// SPDX-License-Identifier: Apache-2.0
// Captures and the graphs that they make.
#include <algorithm>
#include <memory>
#include <utility>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/graph_launch.hpp"

using namespace strata::dry_gpu;

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return keep_error(cudaErrorInvalidValue);
  std::swap(this_thread().capture_mode, *mode);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call_on(handle, [&](Machine& machine, ThreadState& thread, CUstream_st& stream) {
    return machine.streams().begin_capture(&stream, mode, &thread);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call_on(handle, [&](Machine& machine, ThreadState& thread, CUstream_st& stream) {
    return machine.streams().end_capture(&stream, &thread, graph);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    *status = machine.streams().capture_state(&stream).status;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  return call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    const Streams::CaptureState state = machine.streams().capture_state(&stream);
    *status = state.status;
    if (state.status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id != nullptr) *id = state.id;
    if (graph != nullptr) *graph = state.graph;
    if (dependencies != nullptr) *dependencies = state.last_nodes->data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = state.last_nodes->size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return call([&](Machine&, ThreadState&) {
    *graph = std::make_unique<CUgraph_st>().release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](Machine&, ThreadState&) {
    const std::unique_ptr<CUgraph_st> owned(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return call([&](Machine&, ThreadState&) {
    *executable = make_executable(*graph, flags).release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  return call([&](Machine&, ThreadState&) {
    *flags = executable->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&](Machine&, ThreadState&) {
    const std::unique_ptr<CUgraphExec_st> owned(executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return launch_graph(machine, stream, *executable);
  }));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call([&](Machine&, ThreadState&) {
    if (nodes != nullptr) {
      const std::size_t given = std::min(*count, graph->nodes.size());
      for (std::size_t index = 0; index < given; ++index) nodes[index] = graph->nodes[index].get();
    }
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&](Machine&, ThreadState&) {
    *type = node->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, std::size_t* count) {
  return call([&](Machine&, ThreadState&) {
    if (dependencies != nullptr) {
      const std::size_t given = std::min(*count, node->dependencies.size());
      std::copy_n(node->dependencies.begin(), given, dependencies);
      if (edges != nullptr) std::fill_n(edges, given, cudaGraphEdgeData{});
    }
    *count = node->dependencies.size();
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
  return call([&](Machine&, ThreadState&) {
    if (object == nullptr || destroy == nullptr || references == 0 || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *object = new CUuserObject_st(pointer, destroy, references);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return call([&](Machine&, ThreadState&) {
    if (object == nullptr || count == 0) return cudaErrorInvalidValue;
    object->retain(count);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return call([&](Machine&, ThreadState&) {
    const bool is_released = object != nullptr && count > 0 && object->release(count);
    return is_released ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return call([&](Machine&, ThreadState&) {
    if (graph == nullptr || object == nullptr || count == 0) return cudaErrorInvalidValue;
    if ((flags & cudaGraphUserObjectMove) == 0) object->retain(count);
    graph->objects.add(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return call([&](Machine&, ThreadState&) {
    const bool is_released =
        graph != nullptr && object != nullptr && count > 0 && graph->objects.release(object, count);
    return is_released ? cudaSuccess : cudaErrorInvalidValue;
  });
}
