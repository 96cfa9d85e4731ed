// SPDX-License-Identifier: Apache-2.0
#include "tests/sources_cupti/hand_made_buffer.hpp"

#include <cstdlib>

namespace strata::cupti {

DecoderSetup DecodedLines::setup(decltype(DecoderSetup::next_record) next_record,
                                 CallbackName callback_name) {
  return {.next_record = std::move(next_record),
          .intern =
              [this](std::string_view text) {
                names_.emplace_back(text);
                return strata_name{names_.back().c_str(), static_cast<std::uint32_t>(names_.size()), 0};
              },
          .callback_name = callback_name,
          .tell = [this](const strata_activity_event& event) { lines_.push_back(line_of(event)); },
          .clock = &clock_,
          .origins = &origins_};
}

std::string line_of(const strata_activity_event& event) {
  constexpr std::array kKinds = {"",         "kernel", "copy",   "set",    "synchronize", "api",
                                 "overhead", "graph",  "memory", "module", "jit"};
  std::string line = kKinds.at(event.kind);
  const auto add = [&](const char* what, std::uint64_t value) {
    if (value != 0) line += std::string(" ") + what + " " + std::to_string(value);
  };
  if (*event.name.text != '\0') line += std::string(" '") + event.name.text + "'";
  line += " " + std::to_string(event.begin_ns) + "-" + std::to_string(event.end_ns);
  add("detail", event.detail);
  if (event.device.type != STRATA_DEVICE_CPU) line += " on " + std::to_string(event.device.index);
  add("context", event.context);
  add("stream", event.stream);
  add("call", event.correlation);
  add("bytes", event.bytes);
  add("address", event.address);
  add("graph", event.graph);
  add("node", event.graph_node);
  add("thread", event.thread);
  add("op", event.op);
  add("phase", event.phase);
  add("module", event.module);
  if (event.grid[0] != 0) {
    line += " grid " + std::to_string(event.grid[0]) + "x" + std::to_string(event.grid[1]) + "x" +
            std::to_string(event.grid[2]) + " block " + std::to_string(event.block[0]) + " registers " +
            std::to_string(event.registers) + " shared " + std::to_string(event.static_shared_bytes) + "+" +
            std::to_string(event.dynamic_shared_bytes);
  }
  return line;
}

HandMadeBuffer one_of_each(std::uint64_t origin) {
  HandMadeBuffer buffer;
  constexpr std::uint32_t kCall = 41;

  CUpti_ActivityContext3 context{};
  context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  context.contextId = 5;
  context.deviceId = 1;
  buffer.add(context);

  CUpti_ActivityExternalCorrelation external{};
  external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
  external.externalId = origin;
  external.correlationId = kCall;
  buffer.add(external);
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;  // Kineto's
  external.externalId = 999;
  buffer.add(external);

  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
  call.start = 100;
  call.end = 190;
  call.threadId = 77;
  call.correlationId = kCall;
  buffer.add(call);

  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "_ZN2at6native4gemmEf";
  kernel.start = 1000;
  kernel.end = 3000;
  kernel.deviceId = 1;
  kernel.contextId = 5;
  kernel.streamId = 7;
  kernel.correlationId = kCall;
  kernel.gridX = 2;
  kernel.gridY = 3;
  kernel.gridZ = 4;
  kernel.blockX = 128;
  kernel.blockY = kernel.blockZ = 1;
  kernel.registersPerThread = 96;
  kernel.staticSharedMemory = 48;
  kernel.dynamicSharedMemory = 32768;
  kernel.graphId = 12;
  kernel.graphNodeId = 13;
  buffer.add(kernel);

  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = 1 << 20;
  copy.start = 3100;
  copy.end = 3200;
  copy.contextId = 5;
  copy.streamId = 7;
  copy.correlationId = kCall;
  buffer.add(copy);

  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  peer.bytes = 512;
  peer.start = 3300;
  peer.end = 3400;
  peer.correlationId = kCall;
  buffer.add(peer);

  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.bytes = 256;
  set.start = 3500;
  set.end = 3510;
  set.streamId = 8;
  set.correlationId = kCall;
  buffer.add(set);

  CUpti_ActivityGraphTrace2 graph{};
  graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  graph.correlationId = kCall;
  graph.start = 3600;
  graph.end = 3900;
  graph.graphId = 12;
  graph.streamId = 7;
  buffer.add(graph);

  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  wait.start = 200;
  wait.end = 4000;
  wait.contextId = 5;
  wait.streamId = static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  wait.correlationId = kCall;
  buffer.add(wait);

  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING;
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId.pt.threadId = 78;
  overhead.start = 110;
  overhead.end = 150;
  overhead.overheadData = std::malloc(16);
  buffer.add(overhead);

  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.address = 0x1000;
  memory.bytes = 2 << 20;
  memory.timestamp = 5000;
  memory.deviceId = 1;
  memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  buffer.add(memory);

  CUpti_ActivityMemoryPool3 pool{};
  pool.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  pool.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  pool.deviceId = 1;
  pool.address = 0x2000;
  pool.size = 64;
  pool.timestamp = 5100;
  buffer.add(pool);

  CUpti_ActivityJit2 jit{};
  jit.kind = CUPTI_ACTIVITY_KIND_JIT;
  jit.jitOperationType = CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD;
  jit.start = 20;
  jit.end = 90;
  jit.cachePath = "/home/user/.nv/ComputeCache";
  jit.threadId = 77;
  buffer.add(jit);
  return buffer;
}

std::vector<std::string> lines_of_one_of_each() {
  return {
      "api 'cudaLaunchKernel' 100-190 detail 257 call 41 thread 77 op 7 phase 8 module 9",
      "kernel 'at::native::gemm(float)' 1000-3000 on 1 context 5 stream 7 call 41 graph 12 node 13 op 7 "
      "phase 8 "
      "module 9 grid 2x3x4 block 128 registers 96 shared 48+32768",
      "copy 3100-3200 detail 257 on 0 context 5 stream 7 call 41 bytes 1048576 op 7 phase 8 module 9",
      "copy 3300-3400 detail 5 on 0 call 41 bytes 512 op 7 phase 8 module 9",
      "set 3500-3510 on 0 stream 8 call 41 bytes 256 op 7 phase 8 module 9",
      "graph 3600-3900 on 0 stream 7 call 41 graph 12 op 7 phase 8 module 9",
      "synchronize 200-4000 detail 4 context 5 call 41 thread 77 op 7 phase 8 module 9",
      "overhead 110-150 detail 5 thread 78",
      "memory 5000-5000 detail 258 on 1 bytes 2097152 address 4096",
      "memory 5100-5100 detail 261 on 1 bytes 64 address 8192",
      "jit '/home/user/.nv/ComputeCache' 20-90 detail 2 on 0 thread 77",
  };
}

}  // namespace strata::cupti
