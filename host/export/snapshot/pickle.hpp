// SPDX-License-Identifier: Apache-2.0
// Python's pickle, protocol 2, as far as a memory snapshot needs it. It uses only opcodes supported by every
// version of memory_viz, which reads pickles in a browser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/export/output.hpp"

namespace strata::exports {

// One value, written incrementally: each call below writes a value where one is expected; a dict takes keys
// and values in turn. `finish` ends the pickle and flushes.
class Pickle {
 public:
  explicit Pickle(Buffer& out);
  void finish();

  void begin_dict();
  void end_dict();

  // Call `item` before each item. Items are written in batches of a thousand, the maximum for memory_viz, so
  // that readers need not hold them twice.
  void begin_list();
  void item();
  void end_list();

  // Values that need more than 8 bytes as a signed number, which real addresses do not, lose their highest
  // bit: older readers only support 8 bytes.
  void integer(std::uint64_t value);
  void boolean(bool value);
  void pair(std::uint64_t first, std::uint64_t second);
  void text(std::string_view text);  // converted to valid UTF-8
  // The same for repeated text: written once, and cached.
  void repeated(std::string_view text);

  // Identifies the value just written, so that `recall` can write it again.
  using Memo = std::uint32_t;
  Memo remember();
  void recall(Memo memo);

 private:
  void opcode(char code) { out_.append({&code, 1}); }
  void little_endian(std::uint64_t value, std::size_t bytes);

  Buffer& out_;
  Memo next_memo_ = 0;
  std::unordered_map<std::string, Memo> texts_;
  std::vector<std::uint32_t> items_;  // per open list, since its last batch
};

}  // namespace strata::exports
