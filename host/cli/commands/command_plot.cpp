// SPDX-License-Identifier: Apache-2.0
// `strata plot`: pictures of a run as files.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/cli/arguments.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/output_file.hpp"
#include "host/cli/recorded_run.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "host/report/plot/plots.hpp"
#include "host/report/words/warnings.hpp"

namespace strata::cli {
namespace {

using report::plot::kFileFormatNames;
using report::plot::Picture;

const std::map<std::string, Picture> kPictures{{"memory", Picture::kMemory},
                                               {"categories", Picture::kCategories},
                                               {"layers", Picture::kLayers},
                                               {"peak", Picture::kPeak}};

const std::map<std::string, report::plot::Over> kOvers{{"time", report::plot::Over::kTime},
                                                       {"events", report::plot::Over::kEvents}};

struct PlotArguments {
  std::string run, out;
  std::vector<std::string> pictures{"memory", "categories", "layers", "peak"};
  std::vector<std::string> formats{"svg"};
  std::optional<std::uint64_t> rank;
  std::string device;
  std::string over, detail;
  report::plot::PlotOptions options;
};

void write(const std::filesystem::path& file, const std::string& content) {
  OutputFile output(file.string());
  output.write(content);
  output.commit();
  print(file.string() + "\n");
}

void check_step(const analysis::MemoryFacts& facts, const std::optional<std::int64_t>& step) {
  if (!step) return;
  for (const analysis::StepFact& each : facts.steps) {
    if (each.index == *step) return;
  }
  throw UsageError(facts.steps.empty() ? fmt::format("--step {}: the run recorded no step", *step)
                                       : fmt::format("--step {}: the run recorded steps {} to {}", *step,
                                                     facts.steps.front().index, facts.steps.back().index));
}

// With labels, unless the size was said.
constexpr double kLabelledWidth = 960.0, kLabelledHeight = 560.0;

void require_no_picture(const std::string& folder) {
  const std::string extension = std::filesystem::path(folder).extension().string();
  if (extension.size() > 1 && report::plot::file_format_named(std::string_view(extension).substr(1)))
    throw UsageError(
        fmt::format("plot: --out {} must name a folder, because there may be several pictures; to draw only "
                    "one: --out FOLDER --what memory --format {}",
                    folder, extension.substr(1)));
}

void plot(const PlotArguments& arguments) {
  require_no_picture(arguments.out);
  const auto detail = arguments.detail.empty() ? std::nullopt : std::optional(parse_detail(arguments.detail));
  const std::filesystem::path run = recorded_run(arguments.run);
  const analysis::Facts facts = analysis::analyse(run, arguments.rank, arguments.device);
  for (const std::string& warning : report::warning_texts(facts.warnings)) say(warning);
  check_step(facts, arguments.options.step);
  const std::filesystem::path folder =
      arguments.out.empty() ? run / "plots" : std::filesystem::path(arguments.out);
  make_output_folder(folder);
  const std::string suffix = arguments.options.step ? fmt::format("-step{}", *arguments.options.step) : "";
  for (const std::string& picture : arguments.pictures) {
    for (const std::string& format : arguments.formats) {
      report::plot::PlotOptions options = arguments.options;
      options.format = report::plot::file_format_named(format).value();
      const std::string usual = facts.dry && !facts.dry->modelled_clock ? "events" : "time";
      options.over = kOvers.at(arguments.over.empty() ? usual : arguments.over);
      options.detail = detail;
      write(folder / fmt::format("{}{}.{}", picture, suffix, format),
            draw(facts, kPictures.at(picture), options));
    }
  }
}

}  // namespace

void add_plot_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<PlotArguments>();
  CLI::App* const command = app.add_subcommand("plot", "Draw a run's pictures into files, ready for a paper");
  command->add_option("RUN", arguments->run, "Folder of a run, or a snapshot of torch.cuda.memory")
      ->required();
  command
      ->add_option("--what", arguments->pictures,
                   "Pictures to draw: memory (categories over time), categories (their mean, median, least "
                   "and most), layers and peak (their contents at the peak) [all]")
      ->delimiter(',')
      ->check(CLI::IsMember(kPictures));
  command->add_option("--format", arguments->formats, "svg, png or pdf; separate several with commas [svg]")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(kFileFormatNames.begin(), kFileFormatNames.end())));
  command->add_option("--out", arguments->out, "Folder for the files [plots in the run's folder]");
  CLI::Option* const step = command->add_option("--step", arguments->options.step,
                                                "Draw memory and layers of this step only [the window]");
  command->add_flag("--whole-run", arguments->options.whole_run, "Draw memory of the whole run")
      ->excludes(step);
  CLI::Option* const shapes = command->add_flag(
      "--shapes", arguments->options.shapes,
      "Label the shapes in the memory picture, which becomes larger; `strata report --shapes` explains them");
  command
      ->add_option("--over", arguments->over,
                   "Draw memory over time, or over events: allocations and frees, all equally wide [time; "
                   "events for a dry run, whose times are the host's]")
      ->check(CLI::IsMember(kOvers));
  command->add_option("--detail", arguments->detail,
                      "Draw only the largest allocations by category, as a percentage of their number; "
                      "smaller ones are grey [100%]");
  command->add_option("--title", arguments->options.title,
                      "Title of each picture [the run's name and device]");
  CLI::Option* const width =
      command->add_option("--width", arguments->options.width, "Width in points of 1/72 inch [720]")
          ->check(CLI::Range(320.0, 10000.0));
  CLI::Option* const height =
      command
          ->add_option("--height", arguments->options.height,
                       "Height of the memory picture; others are as high as their rows [400]")
          ->check(CLI::Range(120.0, 10000.0));
  command->add_option("--pixels", arguments->options.pixels_a_point, "Pixels per point in a PNG [2]")
      ->check(CLI::Range(0.5, 8.0));
  command->add_option("--rank", arguments->rank, "Rank to draw, if the run has several [the first]");
  command->add_option("--device", arguments->device,
                      "Device to draw the memory of: cuda:1, cpu or pinned [as in `strata report`]");
  command->footer(
      "Prints the names of the written files, one per line.\n\n"
      "Examples:\n"
      "  strata plot runs/quickstart/20261121T101500Z\n"
      "  strata plot runs/quickstart/20261121T101500Z --what memory --step 5 --format pdf,png --out figures\n"
      "  strata plot runs/quickstart/20261121T101500Z --what memory --step 5 --shapes --format png\n"
      "  strata plot runs/quickstart/20261121T101500Z --what memory --detail 10%\n"
      "  strata plot runs/quickstart/20261121T101500Z --what memory --width 320 --height 200 --title ''");
  command->callback([arguments, shapes, width, height, &exit_code] {
    if (shapes->count() > 0 && width->count() == 0) arguments->options.width = kLabelledWidth;
    if (shapes->count() > 0 && height->count() == 0) arguments->options.height = kLabelledHeight;
    plot(*arguments);
    exit_code = kDone;
  });
}

}  // namespace strata::cli
