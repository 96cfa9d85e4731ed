// SPDX-License-Identifier: Apache-2.0
#include "tests/sources_torch/traced_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace strata::test {

TracedRun::TracedRun(std::map<std::string, std::string> options) : host_(std::move(options)) {
  host_.load(TORCH_SOURCE_FILE);
  host_.begin_run();
}

TracedRun::~TracedRun() {
  end();
}

void TracedRun::end() {
  if (std::exchange(ended_, true)) return;
  host_.end_run();
  host_.destroy();
}

void LiveBlocks::apply(const strata_memory_event& event) {
  if (event.action == STRATA_MEMORY_ALLOCATE) {
    EXPECT_TRUE(blocks_.emplace(event.address, event.bytes).second)
        << "a block was allocated where another one is alive: " << event.address;
    bytes_ += event.bytes;
  }
  if (event.action == STRATA_MEMORY_FREE) {
    const auto block = blocks_.find(event.address);
    if (block == blocks_.end()) return;
    bytes_ -= block->second;
    blocks_.erase(block);
  }
}

LiveBlocks replay(const std::vector<MemoryRecord>& records) {
  LiveBlocks live;
  for (const MemoryRecord& record : records) live.apply(record.event);
  return live;
}

std::vector<MemoryRecord> of_size(const std::vector<MemoryRecord>& records, std::uint32_t action,
                                  std::uint64_t bytes) {
  std::vector<MemoryRecord> found;
  std::copy_if(records.begin(), records.end(), std::back_inserter(found), [&](const MemoryRecord& record) {
    return record.event.action == action && record.event.bytes == bytes;
  });
  return found;
}

}  // namespace strata::test
