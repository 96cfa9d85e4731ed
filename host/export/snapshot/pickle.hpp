// SPDX-License-Identifier: Apache-2.0
// Python's pickle, protocol 2, as far as a snapshot of memory needs it: of its opcodes only those that
// memory_viz, which reads pickles in a browser, knows in each of its versions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/export/output.hpp"

namespace strata::exports {

// One value, written as it is told: each of the calls below writes a value where a value is due; a dict takes
// keys and values in turn. `finish` ends the pickle and flushes.
class Pickle {
 public:
  explicit Pickle(Buffer& out);
  void finish();

  void begin_dict();
  void end_dict();

  // `item` comes before each item. Items are handed over by the thousand: memory_viz takes no more at once,
  // and no reader has to hold them twice.
  void begin_list();
  void item();
  void end_list();

  // What would take more than 8 bytes with a sign, as no address of a real machine does, loses its highest
  // bit: older readers take 8.
  void integer(std::uint64_t value);
  void boolean(bool value);
  void pair(std::uint64_t first, std::uint64_t second);
  void text(std::string_view text);  // made valid UTF-8
  // The same for text that comes again and again: written once, and held.
  void repeated(std::string_view text);

  // A number for the value that was just written, for which `recall` then writes that same value again.
  using Memo = std::uint32_t;
  Memo remember();
  void recall(Memo memo);

 private:
  void opcode(char code) { out_.append({&code, 1}); }
  void little_endian(std::uint64_t value, std::size_t bytes);

  Buffer& out_;
  Memo next_memo_ = 0;
  std::unordered_map<std::string, Memo> texts_;
  std::vector<std::uint32_t> items_;  // of each open list, since its last batch
};

}  // namespace strata::exports
