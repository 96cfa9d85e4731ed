// SPDX-License-Identifier: Apache-2.0
// Reads a pickle of protocols 2 to 5 that consists of plain data: None, bools, numbers, texts, bytes, tuples,
// lists and dicts. A pickle is a program; opcodes that would import or call something are refused, and
// nothing is ever run. See docs/decisions/042-an-unpickler-for-plain-data.md.
//
// Memory is bounded by a multiple of the file's size, and no function here calls itself, so no file can
// exhaust the stack. References stay references: a list that is referred to a billion times is kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/snapshot/pickle/text_table.hpp"

namespace strata::snapshot {

class Unpickler;

enum class Kind : std::uint8_t {
  kNone,
  kBool,
  kInteger,      // of 61 bits, in the value itself
  kWideInteger,  // the number of one with 64 bits
  kReal,         // the number of a float
  kText,         // the number of a text
  kBytes,        // whose content nobody needs
  kObject,       // the number of a list, a tuple, a dict or a record
};

// A value of a pickle in eight bytes: a snapshot may have a hundred million of them.
class Value {
 public:
  Value() = default;
  Value(Kind kind, std::uint64_t payload) : bits_(payload << 3 | static_cast<std::uint64_t>(kind)) {}

  Kind kind() const { return static_cast<Kind>(bits_ & 7); }
  std::uint64_t payload() const { return bits_ >> 3; }
  std::int64_t small_integer() const { return static_cast<std::int64_t>(bits_) >> 3; }
  bool operator==(const Value&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

// What remains of a dict or a list that was taken in: its owner's own number.
struct Record {
  std::uint8_t type = 0;  // the owner's, from 1
  std::uint64_t number = 0;
};

// Takes in dicts as soon as they are complete, so that millions of them need not be kept.
class Intake {
 public:
  virtual ~Intake() = default;
  // `items` are keys and values in turn. Nothing: the dict is kept as it is.
  virtual std::optional<Record> take(Unpickler& pickle, std::span<const Value> items) = 0;
};

class Unpickler {
 public:
  // `name` is the file's, for messages. `file` must outlive this and the texts. `intake` may be null.
  Unpickler(std::span<const std::byte> file, std::string name, Intake* intake);

  // Throws SnapshotError. Calls `passed` now and then with the number of bytes read.
  Value read(const std::function<void(std::size_t)>& passed = {});

  TextTable& texts() { return texts_; }
  const TextTable& texts() const { return texts_; }

  bool is_list(Value value) const { return has_shape(value, Shape::kList); }
  bool is_tuple(Value value) const { return has_shape(value, Shape::kTuple); }
  bool is_dict(Value value) const { return has_shape(value, Shape::kDict); }
  // Of a list or a tuple, or keys and values in turn of a dict. Valid until the next value is read.
  std::span<const Value> items(Value value) const;
  std::optional<Record> record(Value value) const;
  // Replaces a list or dict by a record, for every reference to it.
  void replace(Value value, Record record);
  // An integer's 64 bits.
  std::optional<std::int64_t> integer(Value value) const;
  std::optional<std::uint32_t> text(Value value) const;

  // Throws SnapshotError with the file's name and the current place.
  [[noreturn]] void refuse(std::string_view what) const;
  std::size_t file_bytes() const { return file_.size(); }

 private:
  enum class Shape : std::uint8_t { kList, kTuple, kDict, kRecord };
  struct Object {
    std::uint64_t begin = 0;  // in items_; of a record, its number
    std::uint32_t count = 0;  // its space is the next power of two
    Shape shape = Shape::kList;
    std::uint8_t record_type = 0;
  };

  bool has_shape(Value value, Shape shape) const {
    return value.kind() == Kind::kObject && objects_[value.payload()].shape == shape;
  }
  // Each executes one opcode.
  bool execute(std::uint8_t opcode);
  bool execute_number(std::uint8_t opcode);
  bool execute_text(std::uint8_t opcode);
  bool execute_container(std::uint8_t opcode);
  bool execute_memo(std::uint8_t opcode);
  [[noreturn]] void refuse_opcode(std::uint8_t opcode) const;

  std::uint64_t unsigned_of(std::size_t bytes);
  std::string_view string_of(std::uint64_t bytes);
  void skip(std::uint64_t bytes);
  void push_integer(std::int64_t value);
  void push_long(std::uint64_t bytes);
  void push(Value value) { stack_.push_back(value); }
  Value pop();
  Value top() const;
  // The values above the last mark, which is removed with them by the caller.
  std::size_t pop_mark();
  Value make(Shape shape, std::span<const Value> items);
  void append(Value container, Shape shape, std::size_t from);
  void remember(std::uint64_t index);
  void recall(std::uint64_t index);
  void check_memory() const;

  std::span<const std::byte> file_;
  std::string name_;
  Intake* intake_;
  std::size_t at_ = 0, opcode_at_ = 0;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Value> memo_;
  std::vector<Object> objects_;
  std::vector<Value> items_;
  std::vector<std::int64_t> wide_;
  std::vector<double> reals_;
  TextTable texts_;
};

}  // namespace strata::snapshot
