// SPDX-License-Identifier: Apache-2.0
// A gzip compressor in front of another output.
#pragma once

#include <memory>

#include "host/export/output.hpp"

namespace strata::exports {

class Gzip : public Output {
 public:
  explicit Gzip(Output& under);
  ~Gzip() override;

  void write(std::string_view bytes) override;
  // Writes the remaining data; without it the file is truncated.
  void finish();

 private:
  struct Stream;
  void deflate(std::string_view bytes, bool last);

  Output& under_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace strata::exports
