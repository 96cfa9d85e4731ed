// SPDX-License-Identifier: Apache-2.0
#include "host/cli/job/peer_keys.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace strata::cli {
namespace {

constexpr std::size_t kNcclIdBytes = 128;  // NCCL_UNIQUE_ID_BYTES

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

// The text with each number replaced, and the numbers.
struct Pattern {
  explicit Pattern(std::string_view key) {
    for (std::size_t at = 0; at < key.size(); ++at) {
      if (!is_digit(key[at])) {
        text += key[at];
        continue;
      }
      const std::size_t first = at;
      while (at + 1 < key.size() && is_digit(key[at + 1])) ++at;
      text += '#';
      numbers.emplace_back(key.substr(first, at + 1 - first));
    }
  }

  std::string text;
  std::vector<std::string> numbers;
};

std::size_t differences(const Pattern& one, const Pattern& other) {
  std::size_t count = 0;
  for (std::size_t index = 0; index < one.numbers.size(); ++index)
    count += one.numbers[index] == other.numbers[index] ? 0 : 1;
  return count;
}

std::int64_t number_of(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// torch stores under this prefix only ids: "<group>//cuda//0", "<group>//cuda//UniqueNCCLID:0".
bool is_nccl_id(std::string_view key) {
  return key.find("/cuda//") != key.npos;
}

std::optional<std::uint32_t> rank_behind(std::string_view begin, std::string_view key) {
  const auto place = key.find(begin);
  if (place > 1) return std::nullopt;  // a TCPStore puts a '/' first
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(key.data() + place + begin.size(), key.data() + key.size(), rank);
  return error == std::errc() ? std::optional(rank) : std::nullopt;
}

}  // namespace

std::string PeerKeys::compare_and_set(const std::string& key, const std::string& expected,
                                      std::string desired) {
  const auto current = written(key);
  if (!current && !expected.empty()) return expected;
  if (current.value_or("") != expected) return *current;
  return values_[key] = std::move(desired);
}

std::int64_t PeerKeys::add(std::uint32_t rank, const std::string& key, std::int64_t amount) {
  counters_[key][rank] += amount;
  return number_of(*written(key));
}

bool PeerKeys::erase(const std::string& key) {
  return values_.erase(key) + counters_.erase(key) > 0;
}

std::optional<std::string> PeerKeys::written(const std::string& key) const {
  const auto value = values_.find(key);
  const auto counter = counters_.find(key);
  if (counter == counters_.end()) return value == values_.end() ? std::nullopt : std::optional(value->second);
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const auto& [rank, sum] : counter->second) most = std::max(most, sum);
  const std::int64_t start = value == values_.end() ? 0 : number_of(value->second);
  return std::to_string(start + most * std::int64_t{world_size_});
}

std::optional<std::uint32_t> PeerKeys::owner(const std::string& key) {
  return rank_behind("strata/from/", key);
}

std::optional<std::uint32_t> PeerKeys::peer(const std::string& key) {
  return rank_behind("strata/peer/", key);
}

std::optional<std::string> PeerKeys::value(const std::string& key) const {
  if (auto own = written(key)) return own;
  if (owner(key)) return std::nullopt;
  for (const auto& [counter, ranks] : counters_)
    if (key.starts_with(counter) && key.size() > counter.size() && !is_digit(key[counter.size()])) return "1";
  const Pattern wanted(key);
  const std::string* nearest = nullptr;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const auto& [candidate, value] : values_) {
    const Pattern pattern(candidate);
    if (pattern.text != wanted.text) continue;
    if (const std::size_t count = differences(pattern, wanted); count < fewest) {
      nearest = &value;
      fewest = count;
    }
  }
  if (nearest != nullptr) return *nearest;
  return is_nccl_id(key) ? std::optional(std::string(kNcclIdBytes, '\0')) : std::nullopt;
}

}  // namespace strata::cli
