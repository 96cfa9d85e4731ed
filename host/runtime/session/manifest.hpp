// SPDX-License-Identifier: Apache-2.0
// manifest.json of a run directory: what ran, where, with which plugins, and what became of it
// (docs/manifest.md).
//
// Written when the run begins, with state "open", and replaced in one step when it ends: a process that was
// killed leaves the first one behind. Not for several threads at once.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace strata {

class Manifest {
 public:
  // `path` is the file; its folder exists when `write` is called.
  explicit Manifest(std::filesystem::path path) : path_(std::move(path)) {}

  // A section of the host's own.
  void set(std::string_view section, nlohmann::ordered_json value);
  // A section of whoever opened the session. Throws std::invalid_argument when `json` is no JSON value, or
  // the section is the host's.
  void describe(std::string_view section, std::string_view json);

  // Throws std::system_error.
  void write() const;

 private:
  std::filesystem::path path_;
  nlohmann::ordered_json document_ = nlohmann::ordered_json::object();
};

}  // namespace strata
