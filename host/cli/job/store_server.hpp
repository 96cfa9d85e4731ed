// SPDX-License-Identifier: Apache-2.0
// The TCPStore of a job of which only some ranks run (torch/csrc/distributed/c10d/TCPStoreBackend.hpp has its
// protocol, the same in torch 2.11 to 2.15).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

namespace strata::cli {

class StoreServer {
 public:
  // Starts a process that serves these ranks until this object is destroyed, each at a port of its own, on
  // this machine only. Throws std::system_error.
  StoreServer(std::uint32_t world_size, const std::vector<std::uint32_t>& ranks);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  std::uint16_t port(std::uint32_t rank) const { return ports_.at(rank); }

 private:
  std::map<std::uint32_t, std::uint16_t> ports_;
  pid_t process_ = -1, owner_ = -1;
};

}  // namespace strata::cli
