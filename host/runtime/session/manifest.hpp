// SPDX-License-Identifier: Apache-2.0
// manifest.json of a run directory: what ran, where, with which plugins, and with what result
// (docs/manifest.md).
//
// Written when the run begins, with state "open", and replaced atomically when it ends: a killed process
// leaves the first version. Not for several threads at once.
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

  // Sets a section of the host.
  void set(std::string_view section, nlohmann::ordered_json value);
  // Sets a section of the session's user. Throws std::invalid_argument if `json` is not a JSON value or the
  // section belongs to the host.
  void describe(std::string_view section, std::string_view json);

  // Throws std::system_error.
  void write() const;

 private:
  std::filesystem::path path_;
  nlohmann::ordered_json document_ = nlohmann::ordered_json::object();
};

}  // namespace strata
