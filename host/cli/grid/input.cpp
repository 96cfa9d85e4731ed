// SPDX-License-Identifier: Apache-2.0
#include "host/cli/grid/input.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "host/cli/cuda_driver.hpp"
#include "host/cli/dry_gpu.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/terminal.hpp"
#include "host/grid/file/grid_file.hpp"
#include "strata/runtime/check_plugins.hpp"

namespace strata::cli {

void GridInput::add_to(CLI::App& command) {
  command.add_option("GRID", file, "The grid's YAML")->required();
  command.add_option("OVERRIDE", overrides,
                     "key.path=value for all cells; replaces an axis over that key; a list makes an axis");
  add_dry_options(command, dry);
}

grid::Planned GridInput::plan() const {
  std::vector<std::string> all = overrides;
  if (const std::string device = dry.device("grid"); !device.empty()) all.push_back("device=" + device);
  return grid::plan_grid(grid::load_grid(file, all),
                         [](const std::vector<PluginRequest>& plugins) { return check_plugins(plugins); });
}

namespace {

// Of a cell that runs a program (host/grid/file/program.hpp).
grid::Launch launch_of_program(const std::string& strata, const YAML::Node& cell, const std::string& run) {
  grid::Launch launch{.words = {strata, "exec", "--out", run}, .output = {}};
  launch.folder = cell["folder"].as<std::string>();
  const auto add = [&](const std::string& word) { launch.words.push_back(word); };
  if (cell["device"]) {
    for (const std::string& word : dry_options_of(YAML::Dump(cell["device"]))) add(word);
  }
  for (const char* const option : {"world", "ranks", "plugins"}) {
    if (!cell[option]) continue;
    add(fmt::format("--{}", option));
    add(cell[option].as<std::string>());
  }
  add("--");
  for (const YAML::Node& word : cell["program"]) add(word.as<std::string>());
  return launch;
}

}  // namespace

grid::RunCommand run_command() {
  const std::string strata = std::filesystem::read_symlink("/proc/self/exe").string();
  return [strata](const std::filesystem::path& config, const std::filesystem::path& run) {
    const YAML::Node cell = YAML::LoadFile(config.string());
    if (cell["program"]) return launch_of_program(strata, cell, run.string());
    return grid::Launch{.words = {strata, "run", config.string(), "--out", run.string()}, .output = {}};
  };
}

std::int64_t gpus_for(const grid::Plan& plan) {
  const bool asks =
      std::ranges::any_of(plan.cells, [](const grid::Cell& cell) { return cell.needs.gpus > 0; });
  if (!asks || !has_nvidia_gpu()) return 0;
  const auto driver = ask_cuda_driver();
  return driver ? static_cast<std::int64_t>(driver->devices.size()) : 0;
}

grid::Predictions predicted(const std::vector<grid::Cell>& cells, const std::string& card,
                            std::int64_t many) {
  require_dry_gpu();
  const ScratchFolder folder("strata-grid");
  const bool terminal = is_terminal(STDERR_FILENO);
  grid::Predictions predictions =
      grid::predict(cells, card, folder.path(), many, run_command(), [&](std::size_t done, std::size_t all) {
        if (terminal) complain(fmt::format("\r\033[K{}/{} predicted on the dry GPU", done, all));
      });
  if (terminal) complain("\r\033[K");
  return predictions;
}

}  // namespace strata::cli
