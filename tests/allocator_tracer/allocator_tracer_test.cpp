// SPDX-License-Identifier: Apache-2.0
// Each event results in one row, in the tables that docs/run-store.md describes.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/allocator_tracer/tables.hpp"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

using allocator_tracer::EventRow;
using allocator_tracer::FailureRow;
using allocator_tracer::OpRow;
using allocator_tracer::SavedTensorRow;

constexpr strata_when kWhen{.struct_size = sizeof(strata_when),
                            .thread = 41,
                            .sequence = 7,
                            .monotonic_ns = 123'456'789,
                            .step = 3,
                            .micro_batch = 1,
                            .phase = 5,
                            .op = 17,
                            .module = 9,
                            .reserved = 0};

class AllocatorTracerTest : public testing::Test {
 protected:
  AllocatorTracerTest() { host_.load(ALLOCATOR_TRACER_FILE); }
  ~AllocatorTracerTest() override { host_.destroy(); }

  FakeHost host_;
};

TEST_F(AllocatorTracerTest, WantsTheWholeRun) {
  EXPECT_STREQ(host_.descriptor().id, "allocator_tracer");
  EXPECT_EQ(host_.descriptor().flags, STRATA_DESCRIPTOR_WHOLE_RUN);
}

TEST_F(AllocatorTracerTest, DeclaresTheDocumentedColumns) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(host_.columns("event"),
            (Names{"sequence", "monotonic_ns", "thread", "action", "device_type", "device_index", "address",
                   "bytes", "stream", "pool", "device_handed_out_bytes", "phase", "op", "module"}));
  EXPECT_EQ(host_.columns("out_of_memory"),
            (Names{"sequence", "device_type", "device_index", "bytes", "device_free_bytes"}));
  EXPECT_EQ(host_.columns("op"), (Names{"sequence", "monotonic_ns", "thread", "op", "parent", "kind", "name",
                                        "autograd_sequence", "forward_thread", "phase", "module"}));
  EXPECT_EQ(host_.columns("saved"),
            (Names{"sequence", "monotonic_ns", "thread", "action", "saved", "device_type", "device_index",
                   "address", "storage_bytes", "phase", "op", "module"}));
}

TEST_F(AllocatorTracerTest, WritesAnAllocation) {
  const strata_memory_event event{.struct_size = sizeof(event),
                                  .action = STRATA_MEMORY_ALLOCATE,
                                  .device = {.type = STRATA_DEVICE_CUDA, .index = 2},
                                  .address = 0xFFFF'8000'0000'1000,
                                  .bytes = 4096,
                                  .stream = 11,
                                  .pool = 12,
                                  .device_handed_out_bytes = 13,
                                  .device_free_bytes = 0};
  host_.listener<strata_memory_listener>(STRATA_EXT_MEMORY)->on_memory(host_.self(), &kWhen, &event);

  const std::vector<EventRow> rows = host_.rows<EventRow>("event");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].sequence, 7u);
  EXPECT_EQ(rows[0].monotonic_ns, 123'456'789);
  EXPECT_EQ(rows[0].thread, 41u);
  EXPECT_EQ(rows[0].device_handed_out_bytes, 13u);
  EXPECT_EQ(rows[0].action, STRATA_MEMORY_ALLOCATE);
  EXPECT_EQ(rows[0].device_type, STRATA_DEVICE_CUDA);
  EXPECT_EQ(rows[0].device_index, 2u);
  EXPECT_EQ(rows[0].address, 0xFFFF'8000'0000'1000);
  EXPECT_EQ(rows[0].bytes, 4096u);
  EXPECT_EQ(rows[0].stream, 11u);
  EXPECT_EQ(rows[0].pool, 12u);
  EXPECT_EQ(rows[0].phase, 5u);
  EXPECT_EQ(rows[0].op, 17u);
  EXPECT_EQ(rows[0].module, 9u);
}

TEST_F(AllocatorTracerTest, WritesWhatTheDeviceSaidBesideAFailure) {
  strata_memory_event event{.struct_size = sizeof(event),
                            .action = STRATA_MEMORY_OUT_OF_MEMORY,
                            .device = {.type = STRATA_DEVICE_CUDA, .index = 2},
                            .address = 0,
                            .bytes = 4096,
                            .stream = 0,
                            .pool = 0,
                            .device_handed_out_bytes = 13,
                            .device_free_bytes = 1024};
  const auto* const listener = host_.listener<strata_memory_listener>(STRATA_EXT_MEMORY);
  listener->on_memory(host_.self(), &kWhen, &event);
  event.struct_size = offsetof(strata_memory_event, device_free_bytes);  // from a source built before
  listener->on_memory(host_.self(), &kWhen, &event);

  EXPECT_EQ(host_.rows<EventRow>("event").size(), 2u);
  const std::vector<FailureRow> rows = host_.rows<FailureRow>("out_of_memory");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].sequence, 7u);
  EXPECT_EQ(rows[0].bytes, 4096u);
  EXPECT_EQ(rows[0].device_index, 2u);
  EXPECT_EQ(rows[0].device_free_bytes, 1024u);
  EXPECT_EQ(rows[1].device_free_bytes, UINT64_MAX);
}

TEST_F(AllocatorTracerTest, WritesAnOperatorAtItsBegin) {
  strata_op_info op{};
  op.struct_size = sizeof(op);
  op.kind = STRATA_OP_BACKWARD;
  op.name = strata_name{.text = "MmBackward0", .id = 33, .reserved = 0};
  op.ordinal = 18;
  op.parent = 17;
  op.autograd_sequence = -1;
  op.forward_thread = 2;
  const auto* const listener = host_.listener<strata_op_listener>(STRATA_EXT_OP);
  listener->begin(host_.self(), &kWhen, &op);

  const std::vector<OpRow> rows = host_.rows<OpRow>("op");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].sequence, 7u);
  EXPECT_EQ(rows[0].op, 18u);
  EXPECT_EQ(rows[0].parent, 17u);
  EXPECT_EQ(rows[0].kind, STRATA_OP_BACKWARD);
  EXPECT_EQ(rows[0].name, 33u);
  EXPECT_EQ(rows[0].autograd_sequence, -1);
  EXPECT_EQ(rows[0].forward_thread, 2u);
  EXPECT_EQ(rows[0].thread, 41u);
  EXPECT_EQ(rows[0].phase, 5u);
  EXPECT_EQ(rows[0].module, 9u);
}

TEST_F(AllocatorTracerTest, WritesASavedStorage) {
  const strata_graph_event event{.struct_size = sizeof(event),
                                 .action = STRATA_GRAPH_RELEASE,
                                 .device = {.type = STRATA_DEVICE_CPU, .index = 0},
                                 .saved = 99,
                                 .address = 0x7000,
                                 .storage_bytes = 512};
  host_.listener<strata_graph_listener>(STRATA_EXT_GRAPH)->on_graph(host_.self(), &kWhen, &event);

  const std::vector<SavedTensorRow> rows = host_.rows<SavedTensorRow>("saved");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].action, STRATA_GRAPH_RELEASE);
  EXPECT_EQ(rows[0].saved, 99u);
  EXPECT_EQ(rows[0].device_type, STRATA_DEVICE_CPU);
  EXPECT_EQ(rows[0].address, 0x7000u);
  EXPECT_EQ(rows[0].storage_bytes, 512u);
  EXPECT_EQ(rows[0].op, 17u);
  EXPECT_EQ(rows[0].module, 9u);
}

TEST(AllocatorTracer, RefusesAHostWithoutAStore) {
  FakeHost host;
  host.withhold(STRATA_EXT_STORE);
  try {
    host.load(ALLOCATOR_TRACER_FILE);
    FAIL() << "was created without a store";
  } catch (const std::runtime_error& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("keeps no store"), std::string::npos) << refusal.what();
  }
}

}  // namespace
}  // namespace strata::test
