// SPDX-License-Identifier: Apache-2.0
// The TCPStore of a job of which only some ranks run (torch/csrc/distributed/c10d/TCPStoreBackend.hpp has its
// protocol, the same in torch 2.11 to 2.15).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::cli {

inline constexpr std::size_t kMostRanks = 64;  // that are run

class StoreServer {
 public:
  // Starts a process that serves these ranks, and others that they need, until this object is destroyed, on
  // this machine only. Throws std::system_error.
  // `with_peers`: also those with which they exchange tensors directly.
  StoreServer(std::uint32_t world_size, const std::vector<std::uint32_t>& ranks, bool with_peers);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  // Each rank has an address of its own, by which the server knows it.
  static std::string address(std::uint32_t rank);
  std::uint16_t port() const { return port_; }

  // Ranks to start now: others, and those of the constructor that wait to be started. One may be returned
  // twice: as a peer, and as awaited.
  struct Needed {
    std::uint32_t rank = 0;
    bool is_awaited = false;  // another one waits for it
  };
  std::vector<Needed> needed() const;

 private:
  std::uint16_t port_ = 0;
  int needed_ = -1;  // the reading end of a pipe
  pid_t process_ = -1, owner_ = -1;
};

}  // namespace strata::cli
