// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/pickle.hpp"

#include <array>

#include "host/export/text.hpp"

namespace strata::exports {
namespace {

constexpr char kProtocol = '\x80', kStop = '.', kMark = '(';
constexpr char kEmptyDict = '}', kSetItems = 'u', kEmptyList = ']', kAppends = 'e', kTuple2 = '\x86';
constexpr char kOneByte = 'K', kTwoBytes = 'M', kFourBytes = 'J', kLong = '\x8a';
constexpr char kTrue = '\x88', kFalse = '\x89', kUnicode = 'X';
constexpr char kPut = 'q', kLongPut = 'r', kGet = 'h', kLongGet = 'j';
constexpr std::uint32_t kItemsAtOnce = 1000;

// Bytes that hold `value` with a sign.
std::size_t signed_bytes(std::uint64_t value) {
  std::size_t bytes = 1;
  while (bytes < 8 && value >> (8 * bytes - 1) != 0) ++bytes;
  return bytes;
}

}  // namespace

Pickle::Pickle(Buffer& out) : out_(out) {
  opcode(kProtocol);
  opcode('\x02');
}

void Pickle::finish() {
  opcode(kStop);
  out_.flush();
}

void Pickle::begin_dict() {
  opcode(kEmptyDict);
  opcode(kMark);
}

void Pickle::end_dict() {
  opcode(kSetItems);
}

void Pickle::begin_list() {
  opcode(kEmptyList);
  opcode(kMark);
  items_.push_back(0);
}

void Pickle::item() {
  if (++items_.back() <= kItemsAtOnce) return;
  items_.back() = 1;
  opcode(kAppends);
  opcode(kMark);
}

void Pickle::end_list() {
  opcode(kAppends);
  items_.pop_back();
}

void Pickle::integer(std::uint64_t value) {
  if (value <= UINT8_MAX) {
    opcode(kOneByte);
    little_endian(value, 1);
  } else if (value <= UINT16_MAX) {
    opcode(kTwoBytes);
    little_endian(value, 2);
  } else if (value <= INT32_MAX) {
    opcode(kFourBytes);
    little_endian(value, 4);
  } else {
    value &= INT64_MAX;
    const std::size_t bytes = signed_bytes(value);
    opcode(kLong);
    little_endian(bytes, 1);
    little_endian(value, bytes);
  }
}

void Pickle::boolean(bool value) {
  opcode(value ? kTrue : kFalse);
}

void Pickle::pair(std::uint64_t first, std::uint64_t second) {
  integer(first);
  integer(second);
  opcode(kTuple2);
}

void Pickle::text(std::string_view text) {
  const std::string valid = valid_text(text);
  opcode(kUnicode);
  little_endian(valid.size(), 4);
  out_.append(valid);
}

void Pickle::repeated(std::string_view text) {
  const auto [found, is_new] = texts_.try_emplace(std::string(text), next_memo_);
  if (!is_new) return recall(found->second);
  this->text(text);
  remember();
}

Pickle::Memo Pickle::remember() {
  const Memo memo = next_memo_++;
  opcode(memo <= UINT8_MAX ? kPut : kLongPut);
  little_endian(memo, memo <= UINT8_MAX ? 1 : 4);
  return memo;
}

void Pickle::recall(Memo memo) {
  opcode(memo <= UINT8_MAX ? kGet : kLongGet);
  little_endian(memo, memo <= UINT8_MAX ? 1 : 4);
}

void Pickle::little_endian(std::uint64_t value, std::size_t bytes) {
  std::array<char, 8> out{};
  for (std::size_t index = 0; index < bytes; ++index) out[index] = static_cast<char>(value >> (8 * index));
  out_.append({out.data(), bytes});
}

}  // namespace strata::exports
