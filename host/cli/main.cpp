// SPDX-License-Identifier: Apache-2.0
// `strata`, the program. Results go to standard output, everything else to standard error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/child_process.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/explain.hpp"
#include "host/cli/terminal.hpp"
#include "strata/runtime/nearest_name.hpp"

namespace strata::cli {
namespace {

// The command that was named last: `grid run` of `strata grid run`.
const CLI::App& command_of(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

// As typed: "grid run"; empty if there was no command.
std::string words_of_command(const CLI::App& app) {
  std::string words;
  for (const CLI::App* named = &command_of(app); named != &app; named = named->get_parent())
    words.insert(0, named->get_name() + (words.empty() ? "" : " "));
  return words;
}

// For `exec --drry h100-80gb -- python train.py` the parser reports an unexpected `python`. Returns the
// unknown option before `--`; empty if there is none.
std::string unknown_option(const CLI::App& app, std::span<char*> words) {
  const CLI::App& command = command_of(app);
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  for (const std::string_view word : words) {
    const std::string name(word.substr(0, word.find('=')));
    if (name == "--") break;
    if (!name.starts_with("-") || name == "-" || std::ranges::find(options, name) != options.end()) continue;
    std::string hint = name.starts_with("--") ? did_you_mean(name, options) : "";
    if (hint.empty() && command.get_name() == "exec") {
      hint = " If it is the program's own option, put the program after --: strata exec -- python train.py " +
             name;
    }
    const std::string within = &command == &app ? "" : words_of_command(app) + ": ";
    return fmt::format("{}unknown option {}.{}", within, name, hint);
  }
  return {};
}

// For `reprot runs/a` the parser reports that a subcommand is required, for `gird run x.yaml` an unexpected
// `gird`. Returns the unknown command; empty if all are known.
std::string unknown_command(const CLI::App& app, std::span<char*> words) {
  const CLI::App* command = &app;
  std::string within;
  for (const std::string_view word : words) {
    if (word.starts_with("-")) continue;
    const std::vector<const CLI::App*> known = command->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) break;
    if (const auto named = std::ranges::find(known, word, &CLI::App::get_name); named != known.end()) {
      command = *named;
      within += command->get_name() + ": ";
      continue;
    }
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const CLI::App* const each : known) names.push_back(each->get_name());
    const std::string meant = did_you_mean(word, names);
    return fmt::format("{}unknown command {}.{}", within, word,
                       meant.empty() ? fmt::format(" There are {}.", fmt::join(names, ", ")) : meant);
  }
  return {};
}

// The first of the options that the command needs and that are missing, with the command's first example.
std::string missing_option(const CLI::App& app) {
  const CLI::App& command = command_of(app);
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    std::string text = fmt::format("{}: {} is required: {}.", words_of_command(app), option->get_name(),
                                   option->get_description());
    constexpr std::string_view kExamples = "Examples:\n";
    const std::string footer = command.get_footer();
    if (const auto at = footer.find(kExamples); at != std::string::npos) {
      const std::string_view examples = std::string_view(footer).substr(at + kExamples.size());
      text += fmt::format(" For example:\n{}", examples.substr(0, examples.find('\n')));
    }
    return text;
  }
  return {};
}

// For `report A B`, which accepts a single run.
std::string second_run(const CLI::App& app) {
  const CLI::App& command = command_of(app);
  const std::vector<std::string> more = command.remaining();
  if (command.get_name() != "report" || more.empty() || more.front().starts_with("-")) return {};
  const auto run = command.get_option("RUN")->as<std::string>();
  return fmt::format("report: expected one run, found another, {1}; to compare the two: strata diff {0} {1}",
                     run, more.front());
}

// An empty `--out` is probably an unset shell variable: files must not be written to an unexpected place.
void require_places(CLI::App& command) {
  const CLI::Validator is_named(
      [](const std::string& text) { return text.empty() ? std::string("is empty; expected a path") : ""; },
      "");
  if (CLI::Option* const out = command.get_option_no_throw("--out")) out->check(is_named);
  for (CLI::App* const below : command.get_subcommands([](const CLI::App*) { return true; }))
    require_places(*below);
}

// In `exec --dry t4 python train.py --layers 2` the words after the program's first word belong to the
// program, as after `--`: inserts a missing `--`. For `fit` also inserts the flag that says that a program
// follows `--`. `words` begin with our own program's name.
void separate_program(const CLI::App& app, std::vector<char*>& words) {
  if (words.size() < 2) return;
  if (const std::string_view command = words[1]; command == "fit" || command == "advise") {
    static std::string flag = kProgramFlag;
    const auto separator =
        std::ranges::find_if(words, [](const char* word) { return std::string_view(word) == "--"; });
    if (separator != words.end()) words.insert(separator, flag.data());
    return;
  }
  if (std::string_view(words[1]) != "exec") return;
  const CLI::App& exec = *app.get_subcommand("exec");
  for (std::size_t at = 2; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "--") return;
    if (!word.starts_with("-")) {
      static std::array<char, 3> separator{"--"};
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), separator.data());
      return;
    }
    const auto equals = word.find('=');
    const CLI::Option* const option = exec.get_option_no_throw(std::string(word.substr(0, equals)));
    if (option == nullptr) return;
    if (equals == std::string_view::npos && option->get_items_expected_min() > 0) ++at;  // its value
  }
}

int parse(int count, char** given_words) {
  CLI::App app("Strata shows where a training step's memory and time go.", "strata");
  app.set_version_flag("--version", std::string("strata ") + STRATA_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.footer(
      "Examples:\n"
      "  strata doctor\n"
      "  strata run configs/first_run.yaml\n"
      "  strata exec --dry h100-80gb -- python train.py\n"
      "  strata plugins allocator_tracer");
  int exit_code = kDone;
  add_run_command(app, exit_code);
  add_exec_command(app, exit_code);
  add_record_command(app);
  add_report_command(app, exit_code);
  add_top_command(app, exit_code);
  add_diff_command(app, exit_code);
  add_export_command(app, exit_code);
  add_bundle_command(app, exit_code);
  add_replay_command(app, exit_code);
  add_plot_command(app, exit_code);
  add_fit_command(app, exit_code);
  add_advise_command(app, exit_code);
  add_grid_command(app, exit_code);
  add_plugins_command(app, exit_code);
  add_devices_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_build_source_command(app, exit_code);
  require_places(app);
  std::vector<char*> words(given_words, given_words + count);
  separate_program(app, words);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& end) {
    const std::span given = std::span(words).subspan(1);
    std::string problem;
    if (dynamic_cast<const CLI::ExtrasError*>(&end) != nullptr) {
      problem = unknown_command(app, given);
      if (problem.empty()) problem = unknown_option(app, given);
      if (problem.empty()) problem = second_run(app);
    } else if (dynamic_cast<const CLI::RequiredError*>(&end) != nullptr) {
      problem = unknown_command(app, given);
      if (problem.empty()) problem = unknown_option(app, given);
      if (problem.empty()) problem = missing_option(app);
    }
    if (!problem.empty()) {
      say(problem);
      return kUsage;
    }
    if (count == 1) {  // no word at all
      std::cerr << app.help();
      return kUsage;
    }
    if (end.get_exit_code() == 0) {  // --help, --version
      app.exit(end);
      return kDone;
    }
    const std::string words = words_of_command(app);
    say(fmt::format("{}{}{} (strata {}{}--help)", words, words.empty() ? "" : ": ", end.what(), words,
                    words.empty() ? "" : " "));
    return kUsage;
  }
  return exit_code;
}

int main(int count, char** words) {
  keep_ended_children();
  try {
    return parse(count, words);
  } catch (...) {
    return explain_current_exception();
  }
}

}  // namespace
}  // namespace strata::cli

int main(int count, char** words) {
  return strata::cli::main(count, words);
}
