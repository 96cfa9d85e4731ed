// SPDX-License-Identifier: Apache-2.0
// A compressor before another output, in the form of gzip.
#pragma once

#include <memory>

#include "host/export/output.hpp"

namespace strata::exports {

class Gzip : public Output {
 public:
  explicit Gzip(Output& under);
  ~Gzip() override;

  void write(std::string_view bytes) override;
  // Writes what is left; without it the file is cut short.
  void finish();

 private:
  struct Stream;
  void deflate(std::string_view bytes, bool last);

  Output& under_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace strata::exports
