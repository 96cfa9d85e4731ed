// SPDX-License-Identifier: Apache-2.0
// Writes a run by hand, event by event, as a tracer would record it, and stores the expected
// classification of each block, so that a test knows every byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/recording/recording.hpp"

namespace strata::analysis::testing {

// The expected classification of a block.
struct Expected {
  Category category = Category::kUnknown;
  std::string_view kind{};
  std::string layer{};
  std::string_view rule{};  // the rule that must decide; empty: any rule with the same result

  bool operator==(const Expected&) const = default;
};

class RunBuilder {
 public:
  static constexpr std::int64_t kTickNs = 10;  // between consecutive events
  using Body = std::function<void()>;

  RunBuilder();

  void step(std::int64_t index, std::uint32_t schedule, const Body& body);
  void micro_batch(std::uint32_t index) { micro_batch_ = index; }
  void phase(std::uint32_t kind, std::string_view name, const Body& body);
  void module(std::string_view path, const Body& body, std::uint32_t direction = 0);
  // `kind` is STRATA_OP_*.
  void op(std::string_view name, const Body& body, std::uint32_t kind = 0,
          std::int64_t autograd_sequence = -1);
  // Body runs as if on another thread of the operating system and of the framework.
  void on_thread(std::uint32_t thread, const Body& body);

  // body allocates in a private pool of the allocator.
  void in_pool(std::uint64_t pool, const Body& body);

  // Returns the address of a new block.
  std::uint64_t allocate(std::uint64_t bytes, const Expected& expected = {});
  void allocate_at(std::uint64_t address, std::uint64_t bytes, const Expected& expected = {});
  void free(std::uint64_t address);
  // An allocation that fails for lack of memory.
  void fail(std::uint64_t bytes);
  // `role` is STRATA_TENSOR_*.
  void tensor(std::uint32_t role, std::string_view name, std::uint64_t address,
              std::uint64_t owner_address = 0, std::string_view dtype = "", std::string_view shape = "");
  // Returns the number that `release` takes.
  std::uint64_t save(std::uint64_t address);
  void release(std::uint64_t saved);
  // What c10 would report for the last event.
  void report(std::uint64_t address, std::int64_t bytes, std::uint64_t allocated_bytes);

  // Time passes without an event.
  void wait(std::int64_t ns) { now_ns_ += ns; }
  std::uint64_t sequence() const { return sequence_; }

  // Ends the run; `end` as in the store's meta table.
  Recording finish(RunEnd end = RunEnd::kDone);
  // In order of birth.
  const std::vector<Expected>& expected() const { return expected_; }

 private:
  void next();
  void memory(std::uint32_t action, std::uint64_t address, std::uint64_t bytes);

  Recording run_;
  std::vector<Expected> expected_;
  std::uint64_t sequence_ = 0;
  std::int64_t now_ns_ = 1'000'000;
  std::int64_t step_ = -1;
  std::uint32_t micro_batch_ = 0;
  std::uint32_t thread_ = 100;
  std::uint32_t open_phase_ = 0, open_module_ = 0;
  std::uint64_t open_op_ = 0, last_op_ = 0;
  std::uint32_t last_phase_ = 0, last_module_ = 0;
  std::uint64_t next_address_ = 0x7f0000000000;
  std::uint64_t last_saved_ = 0;
  std::uint64_t pool_ = 0;
};

// The part of `run` that remains if its process dies right after the event `sequence`.
Recording killed_after(Recording run, std::uint64_t sequence);

}  // namespace strata::analysis::testing
