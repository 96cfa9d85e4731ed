// SPDX-License-Identifier: Apache-2.0
// Values that the user gives for reads of what nobody knows: by who reads, in the order of reading. They come
// from an answer file (host/config/answers.hpp), and no process hears of another's.
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

  std::string reader;  // as reader_of_call names it
  std::uint64_t value_bytes = 0;
  Then then = Then::kRepeatLast;  // when all values are read
  std::vector<std::byte> values;  // one behind the other
};

// "<reader> <bytes of a value> repeat_last|cycle|unknown <values in hexadecimal, as they lie in memory>".
// Throws std::invalid_argument.
Answer parse_answer(std::string_view text);
std::string answer_text(const Answer& answer);

// [any thread]
class Answers {
 public:
  explicit Answers(std::vector<Answer> answers);

  bool is_empty() const { return rows_.empty(); }
  // The next value for that reader, where it reads one value of `bytes` bytes. Nothing: there is none.
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
