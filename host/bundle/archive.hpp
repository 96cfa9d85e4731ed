// SPDX-License-Identifier: Apache-2.0
// A .tar.gz, written entry by entry into an output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "host/export/output.hpp"

namespace strata::bundle {

// The same entries in the same order make the same bytes: no owner, no time but that of the entries. Throws
// what the output throws, and std::runtime_error.
class Archive {
 public:
  explicit Archive(exports::Output& output);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // `modified`: seconds since 1970.
  void add(const std::string& name, std::string_view content, std::int64_t modified);
  // Without it the archive has no end.
  void finish();

 private:
  struct Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace strata::bundle
