// SPDX-License-Identifier: Apache-2.0
// A process's number in its rank's folder: its pid, unless another process with the same pid has used the
// folder, in another container or before the pid was reused.
#pragma once

#include <cstdint>
#include <filesystem>

namespace strata::drop_in {

// Claimed by creating the process's manifest, which only one process can do. Released unless it is kept.
class ClaimedNumber {
 public:
  // Creates the folder if necessary. Throws std::system_error.
  explicit ClaimedNumber(std::filesystem::path rank_folder);
  ~ClaimedNumber();
  ClaimedNumber(const ClaimedNumber&) = delete;
  ClaimedNumber& operator=(const ClaimedNumber&) = delete;

  std::uint32_t number() const noexcept { return number_; }
  // manifest-<number>.json, which exists and is empty.
  std::filesystem::path manifest() const;
  void keep() noexcept { kept_ = true; }

 private:
  std::filesystem::path rank_folder_;
  std::uint32_t number_;
  bool kept_ = false;
};

}  // namespace strata::drop_in
