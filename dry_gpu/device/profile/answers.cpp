// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/answers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace strata::dry_gpu {
namespace {

constexpr std::array<std::string_view, 3> kThens = {"repeat_last", "cycle", "unknown"};  // as Answer::Then
constexpr std::uint64_t kMostValueBytes = 16;

std::vector<std::byte> bytes_of(std::string_view hexadecimal) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 1 < hexadecimal.size(); at += 2) {
    unsigned value = 0;
    const char* const digits = hexadecimal.data() + at;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    if (error != std::errc() || end != digits + 2) return {};
    bytes.push_back(static_cast<std::byte>(value));
  }
  return hexadecimal.size() % 2 == 0 ? bytes : std::vector<std::byte>();
}

}  // namespace

Answer parse_answer(std::string_view text) {
  Answer answer;
  std::string then;
  std::string values;
  std::istringstream words{std::string(text)};
  words >> answer.reader >> answer.value_bytes >> then >> values;
  const auto known = std::ranges::find(kThens, then);
  answer.values = bytes_of(values);
  if (words.fail() || !(words >> std::ws).eof() || known == kThens.end() || answer.value_bytes == 0 ||
      answer.value_bytes > kMostValueBytes || answer.values.empty() ||
      answer.values.size() % answer.value_bytes != 0)
    throw std::invalid_argument("expected '<reader> <bytes> repeat_last|cycle|unknown <hexadecimal>'");
  answer.then = static_cast<Answer::Then>(std::distance(kThens.begin(), known));
  return answer;
}

std::string answer_text(const Answer& answer) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = answer.reader + " " + std::to_string(answer.value_bytes) + " " +
                     std::string(kThens[static_cast<std::size_t>(answer.then)]) + " ";
  for (const std::byte byte : answer.values) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

Answers::Answers(std::vector<Answer> answers) {
  for (Answer& answer : answers) rows_.push_back({std::move(answer)});
}

std::optional<std::vector<std::byte>> Answers::next(std::string_view reader, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto row = std::ranges::find_if(rows_, [&](const Row& each) {
    return each.answer.value_bytes == bytes && each.answer.reader == reader;
  });
  if (row == rows_.end()) return std::nullopt;
  const std::uint64_t count = row->answer.values.size() / bytes;
  if (row->given >= count && row->answer.then == Answer::Then::kUnknown) return std::nullopt;
  const std::uint64_t place =
      row->answer.then == Answer::Then::kCycle ? row->given % count : std::min(row->given, count - 1);
  ++row->given;
  const auto begin = row->answer.values.begin() + static_cast<std::ptrdiff_t>(place * bytes);
  return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(bytes));
}

}  // namespace strata::dry_gpu
