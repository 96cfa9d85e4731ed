// SPDX-License-Identifier: Apache-2.0
// A run of the torch source under a fake host, and the memory according to its events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/fake_host/fake_host.hpp"

namespace strata::test {

// The run lasts from construction to destruction.
class TracedRun {
 public:
  explicit TracedRun(std::map<std::string, std::string> options = {});
  ~TracedRun();
  TracedRun(const TracedRun&) = delete;
  TracedRun& operator=(const TracedRun&) = delete;

  // Ends the run before the destructor; its records stay available.
  void end();

  FakeHost& host() { return host_; }

 private:
  FakeHost host_;
  bool ended_ = false;
};

// The blocks alive after some events.
class LiveBlocks {
 public:
  // Fails the test if a block is allocated where another one is alive. Frees of unknown blocks are ignored.
  void apply(const strata_memory_event& event);

  std::uint64_t bytes() const { return bytes_; }
  const std::map<std::uint64_t, std::uint64_t>& by_address() const { return blocks_; }

 private:
  std::map<std::uint64_t, std::uint64_t> blocks_;
  std::uint64_t bytes_ = 0;
};

LiveBlocks replay(const std::vector<MemoryRecord>& records);

// Events with that action and size.
std::vector<MemoryRecord> of_size(const std::vector<MemoryRecord>& records, std::uint32_t action,
                                  std::uint64_t bytes);

}  // namespace strata::test
