// SPDX-License-Identifier: Apache-2.0
// Selects the files of runs for an archive.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "host/bundle/archive.hpp"
#include "host/bundle/name_template.hpp"

namespace strata::bundle {

enum class Part { kPickle, kPage, kPictures, kConfig, kManifest, kSummary, kTable };

struct Contents {
  std::set<Part> parts;
  std::vector<std::string> picture_formats;  // of report::plot::kFileFormatNames
  std::string folder;                        // that contains everything
};

// Each run's files, named by the template, in the order of `runs`, plus table.csv and table.md for all of
// them. `told` is called with a run's missing files, and with the progress (the run's index). Throws
// exceptions of analysing a run or of writing.
void write_contents(const std::vector<std::filesystem::path>& runs, const NameTemplate& names,
                    const Contents& contents, Archive& archive,
                    const std::function<void(const std::string&)>& told);

}  // namespace strata::bundle
