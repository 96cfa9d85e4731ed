// SPDX-License-Identifier: Apache-2.0
// A plugin's descriptor and a configuration's options for it: the host finds every fault in either.
//
//   describe ID VERSION SUMMARY FLAGS STRUCT_SIZE     tabs separate fields; "null" is a null pointer
//   option KEY TYPE DEFAULT HELP CHOICES MINIMUM MAXIMUM
//   no options                                        a null list with the same count
//   ---
//   plugins: [...]                                    the rest is a run's YAML, in which DESCRIBED is the
//   plugin's file
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <sstream>
#include <string>
#include <vector>

#include "host/config/loading/load.hpp"
#include "strata/entry.h"
#include "strata/runtime/catalogue.hpp"
#include "strata/runtime/check_plugins.hpp"
#include "tests/fuzz/configuration_text.hpp"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

class Description {
 public:
  explicit Description(const std::string& text) {
    descriptor_ = {sizeof(strata_descriptor),  0,       "described", "1.0",
                   "Is described by an input", nullptr, 0,           0};
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) read(line);
    descriptor_.options = has_options_ ? options_.data() : nullptr;
    descriptor_.option_count = static_cast<std::uint32_t>(options_.size());
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  const strata_descriptor& descriptor() const { return descriptor_; }

 private:
  void read(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> fields;
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    fields.resize(8);
    if (line == "no options") has_options_ = false;
    if (fields[0] == "describe") {
      descriptor_.id = text(fields[1]);
      descriptor_.version = text(fields[2]);
      descriptor_.summary = text(fields[3]);
      descriptor_.flags = number(fields[4]);
      // Fields that a plugin declares as present must exist: a host cannot check this.
      if (!fields[5].empty()) descriptor_.struct_size = number(fields[5]);
    }
    if (fields[0] == "option") {
      options_.push_back({text(fields[1]), number(fields[2]), 0, text(fields[3]), text(fields[4]),
                          text(fields[5]), std::strtod(fields[6].c_str(), nullptr),
                          std::strtod(fields[7].c_str(), nullptr)});
    }
  }

  const char* text(const std::string& field) {
    return field == "null" ? nullptr : texts_.emplace_back(field).c_str();
  }
  static std::uint32_t number(const std::string& field) {
    return static_cast<std::uint32_t>(std::strtoul(field.c_str(), nullptr, 0));
  }

  std::deque<std::string> texts_;
  std::vector<strata_option> options_;
  bool has_options_ = true;
  strata_descriptor descriptor_{};
};

void check(const std::string& described, std::string yaml) {
  const Description description(described);
  std::array<char, 32> address{};
  std::snprintf(address.data(), address.size(), "%p", static_cast<const void*>(&description.descriptor()));
  setenv("STRATA_FUZZ_DESCRIPTOR", address.data(), 1);
  const std::filesystem::path folder = beside_the_program("fuzz");
  for (const PluginDescription& plugin : available_plugins({folder})) {
    if (!plugin.refused.empty()) continue;
    for (const OptionDescription& option : plugin.options)
      expect(!option.expectation.empty(), "an option says what it takes", option.key);
  }
  const std::string name = "DESCRIBED";
  for (auto at = yaml.find(name); at != std::string::npos; at = yaml.find(name, at))
    yaml.replace(at, name.size(), (folder / "described.so").string());
  try {
    config::parse_config("model: {size: small}\n" + yaml, "run.yaml", {},
                         [](const auto& requests) { return check_plugins(requests, {}); });
  } catch (const config::ConfigError& error) {
    expect(!error.problems().empty(), "who refuses says why");
  }
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace strata::fuzz;
  const std::string text = text_of(data, size);
  const std::string divider = "\n---\n";
  const std::size_t divided = text.find(divider);
  const std::string yaml = divided == std::string::npos ? "" : text.substr(divided + divider.size());
  // A file named by a fuzzer would be opened, and its code executed.
  if (leaves_the_folder(yaml) || yaml.find('/') != std::string::npos) return 0;
  stay_in_an_empty_folder();
  check(text.substr(0, divided), yaml);
  return 0;
}
