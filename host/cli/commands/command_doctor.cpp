// SPDX-License-Identifier: Apache-2.0
// `strata doctor`: what works on this machine, what does not, and what to do about it.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/cli/commands.hpp"
#include "host/cli/doctor/check.hpp"
#include "host/cli/doctor/launcher.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"

namespace strata::cli {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kMissing:
      break;
  }
  return "missing";
}

namespace {

Findings check_everything() {
  Findings all;
  for (const Findings& part : {check_libraries(), check_storage("runs"), check_machine(), check_gpu(),
                               check_nvtx(), check_warm_up()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

bool blocks_runs(const Finding& finding) {
  return finding.needed && finding.verdict == Verdict::kMissing;
}

std::string coloured(Verdict verdict, bool colour) {
  std::string padded = fmt::format("{:<8}", to_string(verdict));
  if (!colour) return padded;
  constexpr const char* kGreen = "\x1b[32m";
  constexpr const char* kYellow = "\x1b[33m";
  constexpr const char* kRed = "\x1b[31m";
  const char* const start = verdict == Verdict::kOk ? kGreen : verdict == Verdict::kWarning ? kYellow : kRed;
  return fmt::format("{}{}\x1b[0m", start, padded);
}

const Finding* named(const Findings& findings, std::string_view name) {
  const auto found = std::ranges::find(findings, name, &Finding::name);
  return found == findings.end() ? nullptr : &*found;
}

// What can be recorded here, or the first problem that prevents runs, and the remedy.
std::string verdict(const Findings& findings) {
  if (const auto blocking = std::ranges::find_if(findings, blocks_runs); blocking != findings.end()) {
    return fmt::format("Not ready: {}: {}{}\n", blocking->name, blocking->detail,
                       blocking->remedy.empty() ? "" : fmt::format(". To do: {}", blocking->remedy));
  }
  const Finding* const torch = named(findings, "torch");
  const Finding* const gpus = named(findings, "GPU devices");
  const Finding* const dry = named(findings, "dry GPU");
  std::string text = fmt::format("Ready: torch {}; ", torch == nullptr ? "of the program" : torch->detail);
  if (gpus != nullptr && gpus->verdict == Verdict::kOk) {
    text += "GPUs: " + gpus->detail;
  } else if (dry != nullptr && dry->verdict == Verdict::kOk) {
    text += "no GPU here: use --dry h100-80gb, or the CPU";
  } else {
    text += "no GPU and no dry GPU here: use the CPU";
  }
  return text + '\n';
}

std::string table(const Findings& findings, bool colour) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{} {:<24} {}\n", coloured(finding.verdict, colour), finding.name, finding.detail);
    if (!finding.remedy.empty()) text += fmt::format("{:33} -> {}\n", "", finding.remedy);
  }
  return text;
}

std::string json_text(const Findings& findings) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    checks.push_back({{"name", finding.name},
                      {"verdict", to_string(finding.verdict)},
                      {"detail", finding.detail},
                      {"remedy", finding.remedy},
                      {"needed", finding.needed}});
  }
  return nlohmann::ordered_json{{"schema", "strata.doctor/1"}, {"checks", checks}}.dump(2) + '\n';
}

struct DoctorArguments {
  bool json = false;
  std::string launcher;
  std::string answer;
};

int diagnose(const DoctorArguments& arguments) {
  if (!arguments.answer.empty()) {
    answer_launcher(arguments.answer);
    return kDone;
  }
  const Findings findings =
      arguments.launcher.empty() ? check_everything() : Findings{check_launcher(arguments.launcher)};
  if (arguments.json) {
    print(json_text(findings));
  } else {
    const std::string first = arguments.launcher.empty() ? verdict(findings) + '\n' : std::string();
    print(first + table(findings, wants_colour(STDOUT_FILENO)));
  }
  const auto blocking = std::ranges::count_if(findings, blocks_runs);
  if (blocking == 0) return kDone;
  say(fmt::format("no run can start here: {} required parts are missing", blocking));
  return kFailed;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* const command =
      app.add_subcommand("doctor", "Check what works on this machine, what does not, and why");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_option("--launcher", arguments->launcher,
                      "Run this launcher and check whether strata exec can record a program that it starts");
  command->add_option(kAnswerLauncherOption, arguments->answer)->group("");  // sent by a launcher check
  command->footer(
      "Exit code: 0 if a run can start here, else 1.\n\n"
      "Examples:\n"
      "  strata doctor\n"
      "  strata doctor --launcher 'srun -n 1'\n"
      "  strata doctor --json | jq '.checks[] | select(.verdict != \"ok\")'");
  command->callback([arguments, &exit_code] { exit_code = diagnose(*arguments); });
}

}  // namespace strata::cli
