// SPDX-License-Identifier: Apache-2.0
// What of runs goes into an archive.
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
  std::string folder;                        // that all lies in
};

// Each run's files, named by the template, in the order of `runs`, and table.csv and table.md over them.
// `told` hears what a run lacks, and how far it is (by the run's index). Throws what analysing a run or
// writing throws.
void write_contents(const std::vector<std::filesystem::path>& runs, const NameTemplate& names,
                    const Contents& contents, Archive& archive,
                    const std::function<void(const std::string&)>& told);

}  // namespace strata::bundle
