// SPDX-License-Identifier: Apache-2.0
// `strata bundle`: runs as one archive, to be handed on.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/bundle/archive.hpp"
#include "host/bundle/contents.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/output_file.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/grid/grid_folder.hpp"
#include "host/report/plot/file_format.hpp"

namespace strata::cli {
namespace {

using bundle::Part;
using report::plot::kFileFormatNames;

const std::map<std::string, Part> kParts{{"pickle", Part::kPickle},     {"html", Part::kPage},
                                         {"pictures", Part::kPictures}, {"config", Part::kConfig},
                                         {"manifest", Part::kManifest}, {"summary", Part::kSummary},
                                         {"table", Part::kTable}};

// A usual form of file names: the model, and the batch size.
constexpr const char* kUsualName =
    "memory_{name}_{model.name}_ctx{model.context}_batch{data.batch_size}_{mode}_{precision}";

struct BundleArguments {
  std::vector<std::string> runs, parts, formats{"svg"};
  std::string out, name = kUsualName;
};

// The last attempt of each cell that has one.
void add_grid(const std::filesystem::path& path, std::vector<std::filesystem::path>& runs) {
  const grid::GridFolder folder(path);
  for (const grid::Cell& cell : folder.read_plan().cells) {
    const std::filesystem::path run = folder.run(cell.id, folder.read_state(cell.id).attempt);
    if (std::filesystem::exists(run / "summary.json"))
      runs.push_back(run);
    else
      say(fmt::format("the cell {} ({}) left nothing to bundle", cell.id, cell.text()));
  }
}

std::vector<std::filesystem::path> runs_of(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> runs;
  for (const std::string& folder : folders) {
    const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
    if (std::filesystem::exists(path / "plan.json")) {
      add_grid(path, runs);
      continue;
    }
    runs.push_back(recorded_run(folder));
  }
  if (runs.empty()) throw UsageError("no run to bundle");
  return runs;
}

std::string usual_file() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("memory_profiling_{:%Y-%m-%d_%H-%M-%S}.tar.gz", fmt::localtime(now));
}

// "memory_profiling_2026-11-23_10-15-00" of the file's name, which its content lies in.
std::string folder_in(const std::string& out) {
  std::string name = out == "-" ? "memory_profiling" : std::filesystem::path(out).filename().string();
  for (const char* const ending : {".gz", ".tar", ".tgz"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return name.empty() ? "memory_profiling" : name;
}

int write_bundle(const BundleArguments& arguments) {
  const auto names = [&] {
    try {
      return bundle::NameTemplate(arguments.name);
    } catch (const bundle::TemplateError& error) {
      throw UsageError(fmt::format("--name: {}", error.what()));
    }
  }();
  const std::vector<std::filesystem::path> runs = runs_of(arguments.runs);
  bundle::Contents contents{
      .parts = {}, .picture_formats = arguments.formats, .folder = folder_in(arguments.out)};
  for (const std::string& part : arguments.parts) contents.parts.insert(kParts.at(part));
  if (arguments.parts.empty()) {
    for (const auto& [name, part] : kParts) contents.parts.insert(part);
  }
  const std::string file = arguments.out.empty() ? usual_file() : arguments.out;
  if (arguments.out.empty()) contents.folder = folder_in(file);
  OutputFile output(file);
  bundle::Archive archive(output);
  write_contents(runs, names, contents, archive, [](const std::string& line) { say(line); });
  archive.finish();
  output.commit();
  if (file != "-") print(file + '\n');
  return kDone;
}

}  // namespace

void add_bundle_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<BundleArguments>();
  CLI::App* const command = app.add_subcommand(
      "bundle", "Pack runs into one .tar.gz: pickles, pages, pictures, settings, and one table of all runs");
  command->add_option("RUNS", arguments->runs, "Folders of runs, or of grids")->required();
  command->add_option("--out", arguments->out,
                      "Archive to write; - for standard output [memory_profiling_<date>_<time>.tar.gz]");
  command->add_option(
      "--name", arguments->name,
      fmt::format(
          "Name of each run's files; keys of the run's YAML in braces are replaced by their values [{}]",
          kUsualName));
  std::vector<std::string> names;
  names.reserve(kParts.size());
  for (const auto& [name, part] : kParts) names.push_back(name);
  command
      ->add_option("--what", arguments->parts,
                   "What to pack: pickle, html, pictures, config, manifest, summary, table [all]")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  command
      ->add_option("--format", arguments->formats,
                   "Format of the pictures: svg, png or pdf; separate several with commas [svg]")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(kFileFormatNames.begin(), kFileFormatNames.end())));
  command->footer(
      "The archive is written completely or not at all. The same runs always give the same bytes under the "
      "same\n"
      "name. File names contain only letters, digits and '._-'; runs with the same name get a number. Prints "
      "the\n"
      "archive's name.\n\n"
      "Examples:\n"
      "  strata bundle runs/quickstart/20261121T101500Z\n"
      "  strata bundle runs/*/* --out profiles.tar.gz --name '{model.name}_ctx{model.context}_{mode}'\n"
      "  strata bundle grids/optimizers --name '{optimizer.name}_lr{optimizer.lr}_seed{seed}'\n"
      "  strata bundle grids/optimizers --what pickle,table --out - | ssh elsewhere tar xz");
  command->callback([arguments, &exit_code] { exit_code = write_bundle(*arguments); });
}

}  // namespace strata::cli
