// SPDX-License-Identifier: Apache-2.0
#include "tests/export/limited_unpickler.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::exports::testing {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostItems = 1000;

class Unpickler {
 public:
  explicit Unpickler(std::string_view pickle) : rest_(pickle) {}

  Json read() {
    while (true) {
      switch (const char code = take(1).front(); code) {
        case '\x80':
          if (number(1) > 4) throw std::runtime_error("protocol above 4");
          break;
        case '.':
          if (!rest_.empty() || stack_.size() != 1) throw std::runtime_error("does not end at its end");
          return stack_.back();
        case '(':
          marks_.push_back(stack_.size());
          break;
        case '}':
          stack_.push_back(Json::object());
          break;
        case ']':
          stack_.push_back(Json::array());
          break;
        case 'u':
          set_items();
          break;
        case 'e':
          append();
          break;
        case '\x86': {
          const Json second = pop();
          const Json first = pop();
          stack_.push_back(Json::array({first, second}));
          break;
        }
        case 'K':
          stack_.emplace_back(number(1));
          break;
        case 'M':
          stack_.emplace_back(number(2));
          break;
        case 'J':
          stack_.emplace_back(static_cast<std::int32_t>(number(4)));
          break;
        case '\x8a':
          stack_.emplace_back(long_number());
          break;
        case '\x88':
        case '\x89':
          stack_.emplace_back(code == '\x88');
          break;
        case 'X':
          stack_.push_back(text(number(4)));
          break;
        case 'q':
        case 'r':
          memo_[number(code == 'q' ? 1 : 4)] = stack_.back();
          break;
        case 'h':
        case 'j':
          stack_.push_back(memo_.at(number(code == 'h' ? 1 : 4)));
          break;
        default:
          throw std::runtime_error("unknown opcode " + std::to_string(static_cast<unsigned char>(code)));
      }
    }
  }

 private:
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) throw std::runtime_error("cut short");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view taken = take(bytes);
    for (std::size_t index = 0; index < bytes; ++index)
      value |= std::uint64_t{static_cast<unsigned char>(taken[index])} << (8 * index);
    return value;
  }

  std::int64_t long_number() {
    const std::size_t bytes = number(1);
    if (bytes == 0 || bytes > 8) throw std::runtime_error("a number of " + std::to_string(bytes) + " bytes");
    const auto high_aligned = static_cast<std::int64_t>(number(bytes) << (64 - 8 * bytes));
    return high_aligned >> (64 - 8 * bytes);
  }

  Json text(std::size_t bytes) {
    Json text = std::string(take(bytes));
    (void)text.dump();  // throws if it is not UTF-8
    return text;
  }

  Json pop() {
    Json value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  std::size_t pop_mark() {
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return mark;
  }

  void set_items() {
    const std::size_t mark = pop_mark();
    for (std::size_t index = mark; index + 1 < stack_.size(); index += 2)
      stack_[mark - 1][stack_[index].get<std::string>()] = stack_[index + 1];
    stack_.resize(mark);
  }

  void append() {
    const std::size_t mark = pop_mark();
    if (stack_.size() - mark > kMostItems) throw std::runtime_error("too many items at once");
    for (std::size_t index = mark; index < stack_.size(); ++index)
      stack_[mark - 1].push_back(std::move(stack_[index]));
    stack_.resize(mark);
  }

  std::string_view rest_;
  std::vector<Json> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Json> memo_;
};

}  // namespace

Json unpickle(std::string_view pickle) {
  return Unpickler(pickle).read();
}

}  // namespace strata::exports::testing
