// SPDX-License-Identifier: Apache-2.0
// `strata build-source`: the source of events for a torch that this Strata did not come with.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/torch_build/build.hpp"

namespace strata::cli {

void add_build_source_command(CLI::App& app, int& exit_code) {
  auto torch = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("build-source", "Build support for recording another release of torch");
  command->add_option("TORCH", *torch, "Folder of torch: python -c 'import torch; print(torch.__path__[0])'")
      ->required();
  command->footer(
      "`strata exec` does this by itself when a program loads such a torch; do it in advance so that a job "
      "does not\n"
      "have to wait. Needs a C++20 compiler (CXX, else g++, c++, clang++). Prints the file's path; builds "
      "again\n"
      "only if Strata or torch has changed. `strata doctor` lists the supported releases.\n\n"
      "Example:\n"
      "  strata build-source ~/.venv/lib/python3.11/site-packages/torch");
  command->callback([torch, &exit_code] {
    print(build_torch_source(torch_install(*torch)).string() + '\n');
    exit_code = kDone;
  });
}

}  // namespace strata::cli
