// SPDX-License-Identifier: Apache-2.0
// A grid's folder: plan.json, and in cells/ a folder for each cell, named by its id, with config.yaml,
// state.json, output.txt and the runs of its attempts.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/plan/plan.hpp"

namespace strata::grid {

// The folder contains no grid, or an unreadable one; the message names the problem and the remedy.
class FolderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class GridFolder {
 public:
  explicit GridFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const noexcept { return path_; }
  bool has_plan() const;

  // Writes the cells' configurations first and the plan last: a folder with a plan can be resumed. Throws
  // WriteError.
  void write_plan(const Plan& plan) const;
  // Includes each cell's config_yaml only if `with_configs`. Throws FolderError.
  Plan read_plan(bool with_configs = false) const;

  // kPlanned if there is no state, or a truncated one.
  CellState read_state(const std::string& id) const;
  void write_state(const std::string& id, const CellState& state) const;  // throws WriteError

  std::filesystem::path cell(const std::string& id) const { return path_ / "cells" / id; }
  std::filesystem::path config(const std::string& id) const { return cell(id) / "config.yaml"; }
  std::filesystem::path output(const std::string& id) const { return cell(id) / "output.txt"; }
  // Each attempt writes to its own folder, so that remains of an earlier one cannot mix with it.
  std::filesystem::path run(const std::string& id, std::int64_t attempt) const;

  // Removes what attempts before `attempt` left.
  void remove_runs_before(const std::string& id, std::int64_t attempt) const;

 private:
  std::filesystem::path path_;
};

}  // namespace strata::grid
