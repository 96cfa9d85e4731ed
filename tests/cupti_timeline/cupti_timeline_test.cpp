// SPDX-License-Identifier: Apache-2.0
// One row for each operator, written at its end, and one for each activity, as docs/run-store.md describes
// them.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "plugins/cupti_timeline/activity_tables.hpp"
#include "plugins/cupti_timeline/op_tables.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/op.h"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

using cupti_timeline::ActivityRow;
using cupti_timeline::KernelRow;
using cupti_timeline::OpRow;
using cupti_timeline::ProductRow;

class CuptiTimelineTest : public testing::Test {
 protected:
  CuptiTimelineTest() { host_.load(CUPTI_TIMELINE_FILE); }
  ~CuptiTimelineTest() override { host_.destroy(); }

  static strata_when when(std::int64_t ns) {
    strata_when when{};
    when.struct_size = sizeof when;
    when.thread = 41;
    when.monotonic_ns = ns;
    when.module = 9;
    return when;
  }

  static strata_op_info op() {
    strata_op_info info{};
    info.struct_size = sizeof info;
    info.kind = STRATA_OP_FORWARD;
    info.name = {.text = "aten::mm", .id = 33, .reserved = 0};
    info.ordinal = 18;
    info.parent = 17;
    info.autograd_sequence = 4;
    info.forward_thread = 2;
    return info;
  }

  void run(const strata_op_info& info) {
    const auto* const listener = host_.listener<strata_op_listener>(STRATA_EXT_OP);
    const strata_when begin = when(1'000'000'007), end = when(1'000'000'307);
    const std::uint64_t token = listener->begin(host_.self(), &begin, &info);
    EXPECT_TRUE(host_.rows<OpRow>("op").empty());
    listener->end(host_.self(), &end, &info, token);
  }

  void tell(const strata_activity_event& activity) {
    const strata_when delivered = when(9'000'000'000);
    host_.listener<strata_activity_listener>(STRATA_EXT_ACTIVITY)
        ->on_activity(host_.self(), &delivered, &activity);
  }

  FakeHost host_;
};

TEST_F(CuptiTimelineTest, WantsTheWindowAlone) {
  EXPECT_STREQ(host_.descriptor().id, "cupti_timeline");
  EXPECT_EQ(host_.descriptor().flags, 0u);
}

TEST_F(CuptiTimelineTest, DeclaresTheDocumentedColumns) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(host_.columns("op"), (Names{"begin_ns", "end_ns", "op", "parent", "thread", "kind", "name",
                                        "module", "autograd_sequence", "forward_thread"}));
  EXPECT_EQ(host_.columns("product"),
            (Names{"op", "batch", "m", "n", "k", "products", "element_bytes", "bytes"}));
  EXPECT_EQ(
      host_.columns("activity"),
      (Names{"activity",     "begin_ns", "end_ns",  "kind",        "detail",     "name",    "device_type",
             "device_index", "context",  "stream",  "correlation", "thread",     "op",      "phase",
             "module",       "bytes",    "address", "graph",       "graph_node", "modelled"}));
  EXPECT_EQ(host_.columns("kernel"),
            (Names{"activity", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers",
                   "static_shared_bytes", "dynamic_shared_bytes"}));
}

TEST_F(CuptiTimelineTest, WritesAnOperatorAtItsEnd) {
  run(op());
  const std::vector<OpRow> rows = host_.rows<OpRow>("op");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].begin_ns, 1'000'000'007);
  EXPECT_EQ(rows[0].end_ns, 1'000'000'307);
  EXPECT_EQ(rows[0].op, 18u);
  EXPECT_EQ(rows[0].parent, 17u);
  EXPECT_EQ(rows[0].autograd_sequence, 4);
  EXPECT_EQ(rows[0].forward_thread, 2u);
  EXPECT_EQ(rows[0].thread, 41u);
  EXPECT_EQ(rows[0].name, 33u);
  EXPECT_EQ(rows[0].module, 9u);
  EXPECT_TRUE(host_.rows<ProductRow>("product").empty());
}

TEST_F(CuptiTimelineTest, WritesAProductBesideItsOperator) {
  strata_op_info info = op();
  info.products = 2;
  info.product_batch = 3;
  info.product_m = 4;
  info.product_n = 5;
  info.product_k = 6;
  info.product_element_bytes = 2;
  info.product_bytes = 777;
  run(info);
  const std::vector<ProductRow> rows = host_.rows<ProductRow>("product");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].op, 18u);
  EXPECT_EQ(rows[0].products, 2u);
  EXPECT_EQ(rows[0].batch, 3u);
  EXPECT_EQ(rows[0].m, 4u);
  EXPECT_EQ(rows[0].n, 5u);
  EXPECT_EQ(rows[0].k, 6u);
  EXPECT_EQ(rows[0].element_bytes, 2u);
  EXPECT_EQ(rows[0].bytes, 777u);
}

TEST_F(CuptiTimelineTest, TakesNoProductFromASourceThatKnewNone) {
  strata_op_info info = op();
  info.products = 2;
  info.struct_size = offsetof(strata_op_info, products);
  run(info);
  EXPECT_EQ(host_.rows<OpRow>("op").size(), 1u);
  EXPECT_TRUE(host_.rows<ProductRow>("product").empty());
}

TEST_F(CuptiTimelineTest, WritesAKernelWithItsLaunch) {
  strata_activity_event kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.kind = STRATA_ACTIVITY_KERNEL;
  kernel.name = {.text = "_Z4gemmv", .id = 5, .reserved = 0};
  kernel.device = {.type = STRATA_DEVICE_CUDA, .index = 1};
  kernel.stream = 7;
  kernel.correlation = 1234;
  kernel.begin_ns = INT64_MAX - 1;  // the fake host uses the machine's clock
  kernel.end_ns = INT64_MAX;
  kernel.grid[0] = 10;
  kernel.block[2] = 3;
  kernel.registers = 64;
  kernel.dynamic_shared_bytes = 4096;
  tell(kernel);
  EXPECT_TRUE(host_.rows<ActivityRow>("activity").empty()) << "no step of the window has begun";

  host_.begin_step(0);
  tell(kernel);
  kernel.kind = STRATA_ACTIVITY_COPY;
  kernel.bytes = 99;
  kernel.detail = STRATA_COPY_HOST_TO_DEVICE | STRATA_COPY_PAGEABLE;
  tell(kernel);
  const std::vector<ActivityRow> rows = host_.rows<ActivityRow>("activity");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].activity, 1u);
  EXPECT_EQ(rows[0].kind, STRATA_ACTIVITY_KERNEL);
  EXPECT_EQ(rows[0].device_index, 1u);
  EXPECT_EQ(rows[0].stream, 7u);
  EXPECT_EQ(rows[0].correlation, 1234u);
  EXPECT_EQ(rows[1].activity, 2u);
  EXPECT_EQ(rows[1].bytes, 99u);
  EXPECT_EQ(rows[1].detail, STRATA_COPY_HOST_TO_DEVICE | STRATA_COPY_PAGEABLE);
  const std::vector<KernelRow> kernels = host_.rows<KernelRow>("kernel");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].activity, 1u);
  EXPECT_EQ(kernels[0].grid_x, 10u);
  EXPECT_EQ(kernels[0].block_z, 3u);
  EXPECT_EQ(kernels[0].registers, 64u);
  EXPECT_EQ(kernels[0].dynamic_shared_bytes, 4096u);
}

}  // namespace
}  // namespace strata::test
