// SPDX-License-Identifier: Apache-2.0
// Answer files: values for reads of unknown values by a program on a dry device, by reader.
//
//   schema: strata.answers/1
//   answers:
//     - reader: aten::_local_scalar_dense   # .item(); an account names readers
//       type: float32
//       values: [2.5, 2.25]                 # in the order of reading, in every process
//       then: repeat_last                   # the default; or cycle, or unknown
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace strata::config {

struct Answer {
  std::string reader;
  std::uint64_t value_bytes = 0;  // of one value: only reads of a single value are answered
  std::string then;
  std::string values;  // in memory order, in hexadecimal
};

// Throws ConfigError with all errors in the file.
std::vector<Answer> load_answers(const std::filesystem::path& file);

}  // namespace strata::config
