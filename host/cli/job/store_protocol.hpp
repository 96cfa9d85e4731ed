// SPDX-License-Identifier: Apache-2.0
// What a client of torch's TCPStore sends (torch/csrc/distributed/c10d/TCPStoreBackend.hpp), the same in
// torch 2.11 to 2.15. Numbers are in the machine's order.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace strata::cli {

enum class Query : std::uint8_t {
  kValidate,
  kSet,
  kCompareSet,
  kGet,
  kAdd,
  kCheck,
  kWait,
  kGetNumKeys,
  kDeleteKey,
  kAppend,
  kMultiGet,
  kMultiSet,
  kCancelWait,
  kPing,
};

inline constexpr std::uint32_t kMagic = 0x3C85F7CE;
inline constexpr char kReady = 0, kNotReady = 1;
inline constexpr char kStopWaiting = 0, kWaitCanceled = 1;
// As torch: a key or value is at most 8 MiB, and so is a list of keys.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;

// No client of torch sends this.
struct Malformed {};

// Of what has arrived, in order. Throws Incomplete where more must come.
class Arrived {
 public:
  struct Incomplete {};

  explicit Arrived(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  template <typename Number>
  Number number() {
    Number number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::string text() { return std::string(take(length())); }
  std::vector<std::string> texts() {
    std::vector<std::string> texts;
    for (std::uint64_t left = length(); left > 0; --left) texts.push_back(text());
    return texts;
  }
  std::uint64_t length() {
    const auto bytes = number<std::uint64_t>();
    if (bytes > kMostBytes) throw Malformed{};
    return bytes;
  }
  std::size_t taken() const { return size_ - rest_.size(); }

 private:
  std::string_view take(std::size_t bytes) {
    if (rest_.size() < bytes) throw Incomplete{};
    const std::string_view first = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return first;
  }

  std::string_view rest_;
  std::size_t size_;
};

}  // namespace strata::cli
