// SPDX-License-Identifier: Apache-2.0
// Which operators get a row: those that allocated memory, those that made a node, and the nodes.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugins/allocator_tracer/tables.hpp"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

using Ordinals = std::vector<std::uint64_t>;

class OperatorLogTest : public testing::Test {
 protected:
  OperatorLogTest() { host_.load(ALLOCATOR_TRACER_FILE); }
  ~OperatorLogTest() override { host_.destroy(); }

  // An operator begins inside the innermost open one.
  std::uint64_t begin(std::int64_t autograd_sequence = -1, std::uint32_t kind = STRATA_OP_FORWARD) {
    strata_op_info op{};
    op.struct_size = sizeof(op);
    op.kind = kind;
    op.name = strata_name{.text = "aten::some", .id = 1, .reserved = 0};
    op.ordinal = ++sequence_;
    op.parent = open_.empty() ? STRATA_NONE : open_.back();
    op.autograd_sequence = autograd_sequence;
    op.forward_thread = 1;
    const strata_when when = circumstances();
    host_.listener<strata_op_listener>(STRATA_EXT_OP)->begin(host_.self(), &when, &op);
    open_.push_back(op.ordinal);
    return op.ordinal;
  }

  // The tracer receives no ends: the next event arrives with the enclosing operator.
  void end() { open_.pop_back(); }

  void allocate() {
    ++sequence_;
    strata_memory_event event{};
    event.struct_size = sizeof(event);
    event.action = STRATA_MEMORY_ALLOCATE;
    const strata_when when = circumstances();
    host_.listener<strata_memory_listener>(STRATA_EXT_MEMORY)->on_memory(host_.self(), &when, &event);
  }

  void save() {
    ++sequence_;
    strata_graph_event event{};
    event.struct_size = sizeof(event);
    const strata_when when = circumstances();
    host_.listener<strata_graph_listener>(STRATA_EXT_GRAPH)->on_graph(host_.self(), &when, &event);
  }

  // In the order of writing.
  Ordinals written() const {
    Ordinals ordinals;
    for (const auto& row : host_.rows<allocator_tracer::OpRow>("op")) ordinals.push_back(row.op);
    return ordinals;
  }

  FakeHost host_;

 private:
  strata_when circumstances() const {
    strata_when when{};
    when.struct_size = sizeof(when);
    when.thread = 41;
    when.sequence = sequence_;
    when.op = open_.empty() ? STRATA_NONE : open_.back();
    return when;
  }

  std::uint64_t sequence_ = 0;
  Ordinals open_;
};

TEST_F(OperatorLogTest, AViewHasNoRow) {
  begin();
  end();
  allocate();
  EXPECT_EQ(written(), Ordinals{});
}

TEST_F(OperatorLogTest, AnAllocationWritesItsOperatorAndThoseAroundItOnce) {
  const auto outer = begin();
  begin();  // a view, already ended
  end();
  const auto inner = begin();
  allocate();
  allocate();
  save();
  EXPECT_EQ(written(), (Ordinals{outer, inner}));
}

TEST_F(OperatorLogTest, WhatIsOverIsNotWritten) {
  const auto outer = begin();
  begin();
  end();
  allocate();
  EXPECT_EQ(written(), Ordinals{outer});
}

TEST_F(OperatorLogTest, ASavedStorageNeedsItsOperator) {
  const auto op = begin();
  save();
  EXPECT_EQ(written(), Ordinals{op});
}

TEST_F(OperatorLogTest, TheRowTellsOfTheOperatorsOwnBegin) {
  const auto op = begin(12);
  allocate();
  const auto rows = host_.rows<allocator_tracer::OpRow>("op");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].sequence, op);
  EXPECT_EQ(rows[0].autograd_sequence, 12);
  EXPECT_EQ(rows[0].thread, 41u);
}

// linear (5) calls t (5), which makes node 5, and then mm (6).
TEST_F(OperatorLogTest, TheLastToBeginWithANumberMadeItsNode) {
  begin(5);
  const auto t = begin(5);
  end();
  begin(6);
  EXPECT_EQ(written(), Ordinals{t});
}

TEST_F(OperatorLogTest, WhoMadeANodeIsWrittenOnce) {
  const auto mm = begin(6);
  allocate();
  end();
  begin(7);
  EXPECT_EQ(written(), Ordinals{mm});
}

TEST_F(OperatorLogTest, WhoMadeANodeAndIsStillOpenIsWrittenOnce) {
  const auto outer = begin(5);
  begin(6);
  EXPECT_EQ(written(), Ordinals{outer});
  allocate();
  EXPECT_EQ(written(), (Ordinals{outer, outer + 1}));
}

TEST_F(OperatorLogTest, TheLastNodeOfAForwardIsToldByWhatComesAfterIt) {
  const auto last = begin(5);
  end();
  begin(-1);  // without grad mode
  EXPECT_EQ(written(), Ordinals{last});
}

TEST_F(OperatorLogTest, NodesAndWhatTheyCallAreWritten) {
  const auto node = begin(5, STRATA_OP_BACKWARD);
  const auto called = begin();
  begin();  // a view inside it
  EXPECT_EQ(written(), (Ordinals{node, called}));
}

TEST_F(OperatorLogTest, ARangeOfTheProgramsIsWritten) {
  const auto range = begin(-1, STRATA_OP_USER);
  EXPECT_EQ(written(), Ordinals{range});
}

TEST_F(OperatorLogTest, WhatNestsDeepIsAllWrittenOnce) {
  std::set<std::uint64_t> begun;
  for (int depth = 0; depth < 200; ++depth) begun.insert(begin());
  allocate();
  const Ordinals rows = written();
  EXPECT_EQ(std::set(rows.begin(), rows.end()), begun);
  EXPECT_EQ(rows.size(), begun.size());
}

TEST_F(OperatorLogTest, AnotherThreadsOperatorsAreItsOwn) {
  begin();
  std::thread([this] { begin(-1); }).join();
  EXPECT_EQ(written(), Ordinals{});
}

// When a process opens another run, its threads may still have open operators of the first one.
TEST_F(OperatorLogTest, WhatAnotherRunLeftOpenIsForgotten) {
  const auto op = begin(5);
  FakeHost second;
  second.load(ALLOCATOR_TRACER_FILE);
  strata_when when{};
  when.struct_size = sizeof(when);
  when.op = op;
  const strata_memory_event event{};
  second.listener<strata_memory_listener>(STRATA_EXT_MEMORY)->on_memory(second.self(), &when, &event);
  EXPECT_TRUE(second.rows<allocator_tracer::OpRow>("op").empty());
  second.destroy();
}

}  // namespace
}  // namespace strata::test
