// SPDX-License-Identifier: Apache-2.0
// Repeats the calls of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "host/replay/allocator.hpp"
#include "host/replay/entry.hpp"

namespace strata::replay {

class Replayer {
 public:
  // Throws like Allocator.
  explicit Replayer(const Request& request);

  Result run();

 private:
  struct Block {
    void* place = nullptr;
    std::uint64_t bytes = 0;  // of the whole block
  };

  void make(std::size_t index);
  void allocate(std::size_t index);
  void* ask(const analysis::AllocatorCall& call);
  void* allocate_or_wait(const analysis::AllocatorCall& call);
  void try_again(const analysis::AllocatorCall& call, std::size_t index);
  void fail(std::size_t index);
  void free(const analysis::AllocatorCall& call);
  void free_later(const analysis::AllocatorCall& call);
  void free_now(std::uint64_t address);
  void find_out(std::size_t index);
  template <typename Body>
  bool holds_in_a_copy(const Body& body);
  void note(std::size_t index);
  void look(std::uint64_t sequence);

  const Request& request_;
  Allocator allocator_;
  Result result_;
  std::unordered_map<std::uint64_t, Block> live_, waiting_;  // by recorded address
  std::uint64_t waiting_bytes_ = 0;
  bool looked_ = false, over_ = false;
  bool empties_ = false;  // before the next request
  std::uint64_t other_retries_ = 0;
};

}  // namespace strata::replay
