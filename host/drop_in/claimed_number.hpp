// SPDX-License-Identifier: Apache-2.0
// What a process is called by in its rank's folder: by its id, unless another has been there with the same
// one, in another container or before the system gave the id anew.
#pragma once

#include <cstdint>
#include <filesystem>

namespace strata::drop_in {

// Taken by making the process's manifest, which only one can. Given back unless it is kept.
class ClaimedNumber {
 public:
  // Makes the folder if need be. Throws std::system_error.
  explicit ClaimedNumber(std::filesystem::path rank_folder);
  ~ClaimedNumber();
  ClaimedNumber(const ClaimedNumber&) = delete;
  ClaimedNumber& operator=(const ClaimedNumber&) = delete;

  std::uint32_t number() const noexcept { return number_; }
  // manifest-<number>.json, which is there and empty.
  std::filesystem::path manifest() const;
  void keep() noexcept { kept_ = true; }

 private:
  std::filesystem::path rank_folder_;
  std::uint32_t number_;
  bool kept_ = false;
};

}  // namespace strata::drop_in
