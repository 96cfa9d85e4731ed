// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/claimed_number.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace strata::drop_in {
namespace {

// Linux gives no id from here on (PID_MAX_LIMIT).
constexpr std::uint32_t kProcessIds = std::uint32_t{1} << 22;

}  // namespace

ClaimedNumber::ClaimedNumber(std::filesystem::path rank_folder)
    : rank_folder_(std::move(rank_folder)), number_(static_cast<std::uint32_t>(getpid())) {
  std::filesystem::create_directories(rank_folder_);
  for (;; number_ += kProcessIds) {
    const int file = open(manifest().c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
      close(file);
      return;
    }
    if (errno != EEXIST || number_ > std::numeric_limits<std::uint32_t>::max() - kProcessIds)
      throw std::system_error(errno, std::generic_category(), "make " + manifest().string());
  }
}

ClaimedNumber::~ClaimedNumber() {
  if (kept_) return;
  std::error_code ignored;
  std::filesystem::remove(manifest(), ignored);
  std::filesystem::remove(rank_folder_, ignored);  // if it is empty
}

std::filesystem::path ClaimedNumber::manifest() const {
  return rank_folder_ / ("manifest-" + std::to_string(number_) + ".json");
}

}  // namespace strata::drop_in
