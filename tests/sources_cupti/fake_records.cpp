// SPDX-License-Identifier: Apache-2.0
#include "tests/sources_cupti/fake_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

namespace strata::test {
namespace {

std::atomic<std::uint32_t> last_correlation = 0;

FakeCupti& the_fake() {
  return state().fake;
}

// Kernel records have grown since 13.0.
std::size_t kernel_bytes() {
  return sizeof(CUpti_ActivityKernel10) + (the_fake().version >= 130300 ? 16 : 0);
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel_bytes();
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    default:
      return 0;
  }
}

std::shared_ptr<FakeBuffer> own_buffer() {
  static thread_local std::shared_ptr<FakeBuffer> own;
  if (own == nullptr) {
    own = std::make_shared<FakeBuffer>();
    const std::scoped_lock lock(state().mutex);
    state().buffers.push_back(own);
  }
  return own;
}

bool get_memory(FakeBuffer& buffer) {
  std::size_t most_records = 0;
  buffer.used = 0;
  if (state().shared_request != nullptr) {
    state().shared_request(&buffer.memory, &buffer.bytes, &most_records, nullptr);
  } else if (state().request != nullptr) {
    state().request(&buffer.memory, &buffer.bytes, &most_records);
  }
  if (buffer.memory == nullptr) return false;
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (!std::all_of(buffer.memory, buffer.memory + buffer.bytes, is_zero)) ++the_fake().unclean_buffers;
  return true;
}

void write_to(FakeBuffer& buffer, const void* record, std::size_t bytes) {
  const std::scoped_lock lock(buffer.mutex);
  if (buffer.memory != nullptr && buffer.used + bytes > buffer.bytes) hand_over(buffer, 0);
  if (buffer.memory == nullptr && !get_memory(buffer)) {
    ++state().dropped;
    return;
  }
  std::memcpy(buffer.memory + buffer.used, record, bytes);
  buffer.used += bytes;
}

void write(const void* record, std::size_t bytes) {
  write_to(*own_buffer(), record, bytes);
}

bool is_enabled(CUpti_ActivityKind kind) {
  return the_fake().enabled[static_cast<std::size_t>(kind)];
}

bool is_recorded(CUpti_ActivityKind kind, CUpti_CallbackId function) {
  return is_enabled(kind) && (kind != CUPTI_ACTIVITY_KIND_DRIVER || state().driver_functions.test(function));
}

// In CUPTI's order: the pushed id, then the call.
void write_call(CUpti_ActivityKind kind, std::uint32_t correlation, CUpti_CallbackId function,
                std::uint64_t start) {
  if (!is_recorded(kind, function)) return;
  if (!pushed_by_this_thread().empty() && is_enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) {
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
    external.externalId = pushed_by_this_thread().back();
    external.correlationId = correlation;
    write(&external, sizeof external);
  }
  CUpti_ActivityAPI call{};
  call.kind = kind;
  call.cbid = function;
  call.start = start;
  call.end = fake_now();
  call.processId = static_cast<std::uint32_t>(getpid());
  call.threadId = static_cast<std::uint32_t>(gettid());
  call.correlationId = correlation;
  write(&call, sizeof call);
}

void write_kernel(FakeBuffer& buffer, std::uint32_t correlation, const char* name, std::int64_t kernel_ns,
                  std::uint64_t node = 0) {
  if (!is_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  alignas(8) std::array<std::uint8_t, sizeof(CUpti_ActivityKernel10) + 16> bytes{};
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.correlationId = correlation;
  kernel.streamId = 7;
  kernel.contextId = 1;
  kernel.gridX = 3;
  kernel.blockX = 128;
  kernel.graphId = node == 0 ? 0 : 1;
  kernel.graphNodeId = node;
  if (kernel_ns >= 0) {
    kernel.start = fake_now();
    kernel.end = kernel.start + static_cast<std::uint64_t>(kernel_ns);
  }
  std::memcpy(bytes.data(), &kernel, sizeof kernel);
  write_to(buffer, bytes.data(), kernel_bytes());
}

std::uint32_t launch(const char* name, std::int64_t kernel_ns) {
  const std::uint32_t correlation = ++last_correlation;
  const std::uint64_t start = fake_now();
  write_call(CUPTI_ACTIVITY_KIND_RUNTIME, correlation, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
             start);
  write_kernel(*own_buffer(), correlation, name, kernel_ns);
  return correlation;
}

std::uint32_t launch_with_swapped_times(const char* name) {
  const std::uint32_t correlation = ++last_correlation;
  const std::uint64_t start = fake_now();
  FakeBuffer devices;
  write_kernel(devices, correlation, name, 500);
  {
    const std::scoped_lock lock(devices.mutex);
    hand_over(devices, 0);
  }
  write_call(CUPTI_ACTIVITY_KIND_RUNTIME, correlation, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
             start);
  return correlation;
}

std::uint32_t call_driver(std::uint32_t function) {
  const std::uint32_t correlation = ++last_correlation;
  write_call(CUPTI_ACTIVITY_KIND_DRIVER, correlation, function, fake_now());
  return correlation;
}

std::uint32_t launch_by_driver(std::uint32_t function, const char* name) {
  const std::uint32_t correlation = call_driver(function);
  write_kernel(*own_buffer(), correlation, name, 500);
  return correlation;
}

std::uint32_t launch_by_both(const char* name) {
  const std::uint32_t correlation = ++last_correlation;
  const std::uint64_t start = fake_now();
  write_call(CUPTI_ACTIVITY_KIND_DRIVER, correlation, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, start);
  write_call(CUPTI_ACTIVITY_KIND_RUNTIME, correlation, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
             start);
  write_kernel(*own_buffer(), correlation, name, 500);
  return correlation;
}

std::uint32_t launch_within_driver(const char* name) {
  const std::uint32_t correlation = ++last_correlation;
  write_call(CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, correlation, 0, fake_now());
  write_kernel(*own_buffer(), correlation, name, 500);
  return correlation;
}

std::uint32_t copy_by_driver() {
  const std::uint32_t correlation = call_driver(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2);
  if (!is_enabled(CUPTI_ACTIVITY_KIND_MEMCPY)) return correlation;
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.correlationId = correlation;
  copy.start = fake_now();
  copy.end = copy.start + 100;
  write(&copy, sizeof copy);
  return correlation;
}

std::uint32_t fill_by_driver() {
  const std::uint32_t correlation = call_driver(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async);
  if (!is_enabled(CUPTI_ACTIVITY_KIND_MEMSET)) return correlation;
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.correlationId = correlation;
  fill.start = fake_now();
  fill.end = fill.start + 100;
  write(&fill, sizeof fill);
  return correlation;
}

void call_back(CUpti_CallbackId event, void* descriptor) {
  if (state().callback == nullptr || !state().resources.test(event)) return;
  CUpti_ResourceData data{};
  data.resourceDescriptor = descriptor;
  state().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, event, &data);
}

void load_module(std::size_t bytes) {
  CUpti_ModuleResourceData module{};
  module.cubinSize = bytes;
  call_back(CUPTI_CBID_RESOURCE_MODULE_LOADED, &module);
}

// A node's handle is its number here (cuptiGetGraphNodeId).
CUgraphNode node_of(std::uint64_t number) {
  return reinterpret_cast<CUgraphNode>(number);  // NOLINT(performance-no-int-to-ptr)
}

void make_node(std::uint64_t node) {
  CUpti_GraphData graph{};
  graph.node = node_of(node);
  call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &graph);
}

void clone_node(std::uint64_t original, std::uint64_t clone) {
  CUpti_GraphData graph{};
  graph.node = node_of(clone);
  graph.originalNode = node_of(original);
  call_back(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &graph);
}

std::uint32_t launch_graph(const std::uint64_t* nodes, std::size_t count) {
  const std::uint32_t correlation = ++last_correlation;
  write_call(CUPTI_ACTIVITY_KIND_RUNTIME, correlation, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
             fake_now());
  for (std::size_t index = 0; index < count; ++index)
    write_kernel(*own_buffer(), correlation, "of_a_graph", 500, nodes[index]);
  return correlation;
}

std::uint32_t call() {
  const std::uint32_t correlation = ++last_correlation;
  write_call(CUPTI_ACTIVITY_KIND_RUNTIME, correlation, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, fake_now());
  return correlation;
}

void complete(std::size_t cut_bytes) {
  const std::shared_ptr<FakeBuffer> own = own_buffer();
  const std::scoped_lock lock(own->mutex);
  hand_over(*own, cut_bytes);
}

void complete_late() {
  FakeBuffer buffer;
  if (get_memory(buffer)) {
    buffer.used = 8;
    hand_over(buffer, 0);
  }
}

}  // namespace

FakeState& state() {
  static FakeState& only = *new FakeState;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

std::vector<std::uint64_t>& pushed_by_this_thread() {
  static thread_local std::vector<std::uint64_t> pushed;
  return pushed;
}

std::uint64_t fake_now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  const std::int64_t ns = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  return static_cast<std::uint64_t>(ns + the_fake().clock_offset_ns);
}

void hand_over(FakeBuffer& buffer, std::size_t cut_bytes) {
  if (buffer.memory == nullptr) return;
  std::uint8_t* const memory = std::exchange(buffer.memory, nullptr);
  const std::size_t used = buffer.used - std::min(cut_bytes, buffer.used);
  if (state().shared_complete != nullptr) {
    state().shared_complete(memory, buffer.bytes, used, nullptr);
  } else {
    state().complete(nullptr, 0, memory, buffer.bytes, used);
  }
}

void reset() {
  FakeState& all = state();
  {
    const std::scoped_lock lock(all.mutex);
    for (const std::shared_ptr<FakeBuffer>& buffer : all.buffers) {
      const std::scoped_lock buffer_lock(buffer->mutex);
      hand_over(*buffer, 0);
    }
    all.request = nullptr;
    all.complete = nullptr;
    all.shared_request = nullptr;
    all.shared_complete = nullptr;
    all.callback = nullptr;
    all.resources.reset();
    all.driver_functions.reset();
  }
  FakeCupti& fake = all.fake;
  std::destroy_at(&fake);
  std::construct_at(&fake);
  fake.launch = &launch;
  fake.launch_with_swapped_times = &launch_with_swapped_times;
  fake.launch_by_driver = &launch_by_driver;
  fake.launch_by_both = &launch_by_both;
  fake.launch_within_driver = &launch_within_driver;
  fake.copy_by_driver = &copy_by_driver;
  fake.fill_by_driver = &fill_by_driver;
  fake.call_driver = &call_driver;
  fake.load_module = &load_module;
  fake.make_node = &make_node;
  fake.clone_node = &clone_node;
  fake.launch_graph = &launch_graph;
  fake.call = &call;
  fake.write = &write;
  fake.complete = &complete;
  fake.complete_late = &complete_late;
  fake.now = &fake_now;
  fake.reset = &reset;
  all.is_subscribed = false;
  all.is_shared = false;
  all.dropped = 0;
}

// Modules are a kind of record that CUPTI never writes.
CUptiResult enable(CUpti_ActivityKind kind, bool is_on) {
  if (is_on && static_cast<int>(kind) == the_fake().refused_kind) return CUPTI_ERROR_NOT_COMPATIBLE;
  if (kind == CUPTI_ACTIVITY_KIND_MODULE) return CUPTI_ERROR_INVALID_KIND;
  the_fake().enabled[static_cast<std::size_t>(kind)] = is_on;
  if (kind == CUPTI_ACTIVITY_KIND_DRIVER && is_on) state().driver_functions.set();
  return CUPTI_SUCCESS;
}

CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record) {
  auto* const last = reinterpret_cast<std::uint8_t*>(*record);
  std::uint8_t* const next = last == nullptr ? buffer : last + bytes_of((*record)->kind);
  const auto left = static_cast<std::size_t>(buffer + valid_bytes - next);
  if (left == 0) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  CUpti_ActivityKind kind{};
  if (left < sizeof kind) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  std::memcpy(&kind, next, sizeof kind);
  const std::size_t bytes = bytes_of(kind);
  if (bytes == 0) return CUPTI_ERROR_INVALID_KIND;
  if (bytes > left) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // namespace strata::test
