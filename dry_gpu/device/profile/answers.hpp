// SPDX-License-Identifier: Apache-2.0
// The user's values for reads of unknown values: by reader, in the order of reading. They come from an answer
// file (host/config/answers.hpp), and each process has its own position in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata::dry_gpu {

struct Answer {
  enum class Then { kRepeatLast, kCycle, kUnknown };

  std::string reader;  // as named by reader_of_call
  std::uint64_t value_bytes = 0;
  Then then = Then::kRepeatLast;  // after the last value
  std::vector<std::byte> values;  // one after the other
};

// "<reader> <bytes of a value> repeat_last|cycle|unknown <values in hexadecimal, in memory order>". Throws
// std::invalid_argument.
Answer parse_answer(std::string_view text);
std::string answer_text(const Answer& answer);

// [any thread]
class Answers {
 public:
  explicit Answers(std::vector<Answer> answers);

  bool is_empty() const { return rows_.empty(); }
  // The next value for a reader that reads one value of `bytes` bytes. Empty if there is none.
  std::optional<std::vector<std::byte>> next(std::string_view reader, std::uint64_t bytes);

 private:
  struct Row {
    Answer answer;
    std::uint64_t given = 0;
  };

  std::mutex mutex_;
  std::vector<Row> rows_;
};

}  // namespace strata::dry_gpu
