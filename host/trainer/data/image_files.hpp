// SPDX-License-Identifier: Apache-2.0
// Images of files, each of the class that its folder is called after.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/data/batch_source.hpp"
#include "host/trainer/data/sample_order.hpp"

namespace strata::trainer {

// Each image is cut to the largest square in its middle, which nearest neighbours make `size` pixels wide:
// pixel i is the one that the middle of its i-th part lies in. A colour of `value`, of `maximum` (as the file
// says, mostly 255), becomes 2 * value / maximum - 1, from -1 to 1, rounded to `dtype`.
//
// Files are opened when they are read, and mapped, so that only the rows that are taken are loaded.
class ImageFiles : public BatchSource {
 public:
  // Of `data.files`, of which there is at least one. Throws DataError where they have more than `classes`
  // classes. A file that is no whole image is a DataError when it is read.
  ImageFiles(const config::DataConfig& data, std::int64_t size, std::int64_t classes, at::ScalarType dtype,
             std::uint64_t seed);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override;

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> classes_;
  SampleOrder order_;
  std::int64_t size_;
  at::ScalarType dtype_;
};

}  // namespace strata::trainer
