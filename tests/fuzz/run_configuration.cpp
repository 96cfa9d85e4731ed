// SPDX-License-Identifier: Apache-2.0
// Any YAML of a run is rejected with reasons or loaded; a loaded one can be written as YAML that loads to the
// same. A line "#= key=value" is an override of the command line.
#include <string>

#include "host/config/loading/load.hpp"
#include "tests/fuzz/configuration_text.hpp"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

void load(const std::string& text) {
  config::RunConfig config;
  try {
    config = config::parse_config(text, "run.yaml", overrides_in(text));
  } catch (const config::ConfigError& error) {
    expect(!error.problems().empty(), "who refuses says why");
    for (const config::Problem& problem : error.problems())
      expect(!problem.message.empty(), "a problem has a message", problem.text());
    return;
  }
  try {
    const config::RunConfig again = config::parse_config(config.resolved_yaml, "config.yaml");
    expect(again.resolved_yaml == config.resolved_yaml, "a resolved configuration resolves to itself",
           config.resolved_yaml + "\n--- became\n" + again.resolved_yaml);
  } catch (const config::ConfigError& error) {
    expect(false, "a resolved configuration loads again", config.resolved_yaml + "\n" + error.what());
  }
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = strata::fuzz::text_of(data, size);
  if (strata::fuzz::leaves_the_folder(text)) return 0;
  strata::fuzz::stay_in_an_empty_folder();
  strata::fuzz::load(text);
  return 0;
}
