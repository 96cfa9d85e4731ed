// SPDX-License-Identifier: Apache-2.0
// trainer PLUGIN_FOLDER RUN_FOLDER: a training loop outside Strata's tree, three steps long.
#include <cstdint>
#include <iostream>

#include "strata/runtime/session.hpp"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  strata::SessionOptions options;
  options.plugin_path = {arguments[1]};
  options.directory = arguments[2];
  options.plugins = {{.name = "loss_recorder", .options = {}, .place = "trainer.cpp"}};
  options.strict = true;
  strata::Session session(options);
  session.begin_run();
  for (std::uint64_t step = 0; step < 3; ++step) {
    session.begin_step(step, 1);
    { const strata::Phase phase(session, strata::PhaseKind::kForward, "forward"); }
    session.end_step({.optimizer_ran = true, .loss = 1.0 / static_cast<double>(step + 1), .tokens = 8});
  }
  session.end_run(strata::RunEnd::kDone);
  for (const strata::PluginStatus& plugin : session.plugins())
    std::cout << plugin.id << ' ' << plugin.status << '\n';
}
