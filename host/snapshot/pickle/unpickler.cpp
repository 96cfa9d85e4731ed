// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/pickle/unpickler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "host/snapshot/pickle/opcodes.hpp"
#include "host/snapshot/snapshot_error.hpp"

namespace strata::snapshot {
namespace {

constexpr std::uint64_t kOpcodesPerCheck = 1 << 14;
constexpr std::size_t kPassedBytes = std::size_t{64} << 20;
constexpr int kNewestProtocol = 5;

}  // namespace

Unpickler::Unpickler(std::span<const std::byte> file, std::string name, Intake* intake)
    : file_(file), name_(std::move(name)), intake_(intake) {}

void Unpickler::refuse(std::string_view what) const {
  throw SnapshotError(fmt::format("{}: at byte {}: {}", name_, opcode_at_, what));
}

Value Unpickler::read(const std::function<void(std::size_t)>& passed) {
  if (file_.size() < 2 || std::to_integer<std::uint8_t>(file_[0]) != opcode::kProtocol ||
      std::to_integer<int>(file_[1]) < 2) {
    throw SnapshotError(fmt::format(
        "{}: is not a pickle of protocol 2 to 5, so it is not a snapshot of torch.cuda.memory: expected "
        "a file of torch.cuda.memory._dump_snapshot()",
        name_));
  }
  std::size_t told = 0;
  for (std::uint64_t opcodes = 0;; ++opcodes) {
    opcode_at_ = at_;
    if (at_ == file_.size())
      refuse("the file ends before its data is complete: it is truncated. Copy it again");
    const auto opcode = std::to_integer<std::uint8_t>(file_[at_++]);
    if (opcode == opcode::kStop) break;
    if (!execute(opcode)) refuse_opcode(opcode);
    if (opcodes % kOpcodesPerCheck != 0) continue;
    check_memory();
    if (passed && at_ - told >= kPassedBytes) passed(told = at_);
  }
  if (stack_.size() != 1 || !marks_.empty())
    refuse(fmt::format("the pickle ends with {} values instead of one; it is damaged", stack_.size()));
  return stack_.back();
}

bool Unpickler::execute(std::uint8_t opcode) {
  // By frequency in a snapshot.
  if (execute_memo(opcode) || execute_number(opcode) || execute_container(opcode) || execute_text(opcode))
    return true;
  switch (opcode) {
    case opcode::kMark:
      marks_.push_back(stack_.size());
      return true;
    case opcode::kPop:
      if (!marks_.empty() && marks_.back() == stack_.size())
        marks_.pop_back();
      else
        pop();
      return true;
    case opcode::kPopMark:
      stack_.resize(pop_mark());
      return true;
    case opcode::kDuplicate:
      push(top());
      return true;
    case opcode::kProtocol:
      if (const std::uint64_t protocol = unsigned_of(1); protocol > kNewestProtocol) {
        refuse(fmt::format("protocol {} is newer than {}, the newest that this program reads", protocol,
                           kNewestProtocol));
      }
      return true;
    case opcode::kFrame:
      // Only says how much to read at once.
      if (unsigned_of(8) > file_.size() - at_)
        refuse("a frame extends beyond the file's end: the file is truncated");
      return true;
    default:
      return false;
  }
}

bool Unpickler::execute_number(std::uint8_t opcode) {
  switch (opcode) {
    case opcode::kInteger1:
      push_integer(static_cast<std::int64_t>(unsigned_of(1)));
      return true;
    case opcode::kInteger2:
      push_integer(static_cast<std::int64_t>(unsigned_of(2)));
      return true;
    case opcode::kInteger4:
      push_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(unsigned_of(4))));
      return true;
    case opcode::kLong1:
      push_long(unsigned_of(1));
      return true;
    case opcode::kLong4:
      push_long(unsigned_of(4));
      return true;
    case opcode::kReal: {
      const std::uint64_t bits = __builtin_bswap64(unsigned_of(8));
      push({Kind::kReal, reals_.size()});
      reals_.push_back(std::bit_cast<double>(bits));
      return true;
    }
    case opcode::kNone:
      push({Kind::kNone, 0});
      return true;
    case opcode::kTrue:
    case opcode::kFalse:
      push({Kind::kBool, opcode == opcode::kTrue ? 1u : 0u});
      return true;
    default:
      return false;
  }
}

bool Unpickler::execute_text(std::uint8_t opcode) {
  const auto text = [&](std::size_t length_bytes) {
    push({Kind::kText, texts_.add(string_of(unsigned_of(length_bytes)))});
  };
  const auto bytes = [&](std::size_t length_bytes) {
    skip(unsigned_of(length_bytes));
    push({Kind::kBytes, 0});
  };
  switch (opcode) {
    case opcode::kText1:
    case opcode::kString1:
      text(1);
      return true;
    case opcode::kText4:
    case opcode::kString4:
      text(4);
      return true;
    case opcode::kText8:
      text(8);
      return true;
    case opcode::kBytes1:
      bytes(1);
      return true;
    case opcode::kBytes4:
      bytes(4);
      return true;
    case opcode::kBytes8:
    case opcode::kByteArray8:
      bytes(8);
      return true;
    default:
      return false;
  }
}

bool Unpickler::execute_container(std::uint8_t opcode) {
  const auto from_stack = [&](Shape shape, std::size_t from) {
    const Value made = make(shape, std::span(stack_).subspan(from));
    stack_.resize(from);
    push(made);
  };
  const auto last = [&](std::size_t count) {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - floor < count) refuse("a value is missing; the pickle is damaged");
    return stack_.size() - count;
  };
  const auto add = [&](Shape shape, std::size_t from) {
    if (from == 0) refuse("a list or dict is missing; the pickle is damaged");
    append(stack_[from - 1], shape, from);
    stack_.resize(from);
  };
  switch (opcode) {
    case opcode::kSetItems:
      add(Shape::kDict, pop_mark());
      return true;
    case opcode::kSetItem:
      last(3);
      add(Shape::kDict, last(2));
      return true;
    case opcode::kAppends:
      add(Shape::kList, pop_mark());
      return true;
    case opcode::kAppend:
      last(2);
      add(Shape::kList, last(1));
      return true;
    case opcode::kEmptyDict:
      push(make(Shape::kDict, {}));
      return true;
    case opcode::kEmptyList:
      push(make(Shape::kList, {}));
      return true;
    case opcode::kEmptyTuple:
      push(make(Shape::kTuple, {}));
      return true;
    case opcode::kTuple1:
    case opcode::kTuple2:
    case opcode::kTuple3:
      from_stack(Shape::kTuple, last(opcode - opcode::kTuple1 + 1u));
      return true;
    case opcode::kTuple:
      from_stack(Shape::kTuple, pop_mark());
      return true;
    case opcode::kList:
      from_stack(Shape::kList, pop_mark());
      return true;
    case opcode::kDict: {
      const std::size_t from = pop_mark();
      const Value dict = make(Shape::kDict, {});
      append(dict, Shape::kDict, from);
      stack_.resize(from);
      push(dict);
      return true;
    }
    default:
      return false;
  }
}

bool Unpickler::execute_memo(std::uint8_t opcode) {
  switch (opcode) {
    case opcode::kGet1:
      recall(unsigned_of(1));
      return true;
    case opcode::kGet4:
      recall(unsigned_of(4));
      return true;
    case opcode::kMemoize:
      remember(memo_.size());
      return true;
    case opcode::kPut1:
      remember(unsigned_of(1));
      return true;
    case opcode::kPut4:
      remember(unsigned_of(4));
      return true;
    default:
      return false;
  }
}

void Unpickler::refuse_opcode(std::uint8_t opcode) const {
  for (const opcode::Refused& refused : opcode::kRefused) {
    if (refused.opcode != opcode) continue;
    refuse(
        fmt::format("the opcode {} {}. Nothing was run; a snapshot of torch.cuda.memory has only plain data. "
                    "Do not open this file elsewhere unless you trust its author",
                    refused.name, refused.reason));
  }
  refuse(
      fmt::format("0x{:02x} is not an opcode of a pickle; the file is damaged or is not a pickle", opcode));
}

std::uint64_t Unpickler::unsigned_of(std::size_t bytes) {
  if (file_.size() - at_ < bytes) refuse("the file ends within a value: it is truncated. Copy it again");
  std::uint64_t value = 0;
  std::memcpy(&value, file_.data() + at_, bytes);
  at_ += bytes;
  return value;
}

void Unpickler::skip(std::uint64_t bytes) {
  if (file_.size() - at_ < bytes)
    refuse(
        fmt::format("a value of {} bytes extends beyond the file's end: it is damaged or truncated", bytes));
  at_ += bytes;
}

std::string_view Unpickler::string_of(std::uint64_t bytes) {
  skip(bytes);
  return {reinterpret_cast<const char*>(file_.data()) + at_ - bytes, bytes};
}

void Unpickler::push_integer(std::int64_t value) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60;
  if (value >= -kLimit && value < kLimit) return push({Kind::kInteger, static_cast<std::uint64_t>(value)});
  push({Kind::kWideInteger, wide_.size()});
  wide_.push_back(value);
}

// Two's complement, of any length.
void Unpickler::push_long(std::uint64_t bytes) {
  const std::string_view digits = string_of(bytes);
  const bool is_unsigned = bytes == 9 && digits[8] == 0;
  if (bytes > 8 && !is_unsigned)
    refuse(fmt::format("an integer has {} bytes, but integers of a snapshot have at most 64 bits", bytes));
  std::uint64_t value = 0;
  std::memcpy(&value, digits.data(), std::min<std::size_t>(bytes, 8));
  if (bytes > 0 && bytes < 8 && (static_cast<std::uint8_t>(digits[bytes - 1]) & 0x80) != 0)
    value |= ~std::uint64_t{0} << (8 * bytes);
  push_integer(static_cast<std::int64_t>(value));
}

Value Unpickler::pop() {
  const Value value = top();
  stack_.pop_back();
  return value;
}

Value Unpickler::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    refuse("a value is missing; the pickle is damaged");
  return stack_.back();
}

std::size_t Unpickler::pop_mark() {
  if (marks_.empty()) refuse("a mark is missing; the pickle is damaged");
  const std::size_t from = marks_.back();
  marks_.pop_back();
  return from;
}

}  // namespace strata::snapshot
