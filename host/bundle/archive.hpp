// SPDX-License-Identifier: Apache-2.0
// Writes a .tar.gz entry by entry to an output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "host/export/output.hpp"

namespace strata::bundle {

// Reproducible: the same entries in the same order give the same bytes, without owners, and with no times
// except those of the entries. Throws the output's exceptions, and std::runtime_error.
class Archive {
 public:
  explicit Archive(exports::Output& output);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // `modified`: seconds since 1970.
  void add(const std::string& name, std::string_view content, std::int64_t modified);
  // Ends the archive; without it the archive is truncated.
  void finish();

 private:
  struct Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace strata::bundle
