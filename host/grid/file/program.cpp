// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/program.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <sstream>
#include <string_view>

#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/grid/file/axis.hpp"

namespace strata::grid {
namespace {

constexpr std::int64_t kMostInWorld = 1 << 20;

bool is_of_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

// Replaces each {name} by what `value_of` returns; other braces stay.
std::string replaced(std::string_view word, const std::function<std::string(const std::string&)>& value_of) {
  std::string text;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at + 1;
    if (word[at] == '{') {
      while (end < word.size() && is_of_name(word[end])) ++end;
      if (end > at + 1 && end < word.size() && word[end] == '}') {
        text += value_of(std::string(word.substr(at + 1, end - at - 1)));
        at = end + 1;
        continue;
      }
    }
    text += word[at++];
  }
  return text;
}

class CellReader {
 public:
  CellReader(const Program& program, const config::Written& written, std::vector<config::Problem>& problems)
      : program_(program), written_(written), problems_(problems) {}

  ProgramCell read() {
    for (const std::string& word : program_.words)
      cell_.words.push_back(replaced(word, [&](const std::string& name) { return value_of(name); }));
    read_device();
    cell_.world = text_of("world");
    cell_.ranks = text_of("ranks");
    read_plugins();
    check_world();
    return std::move(cell_);
  }

 private:
  const config::WrittenValue* find(std::string_view name) const {
    const auto found = written_.values.find(name);
    return found == written_.values.end() ? nullptr : &found->second;
  }

  std::string text_of(std::string_view name) const {
    const auto* const value = find(name);
    return value == nullptr || value->node.IsNull() ? std::string() : label_of(value->node);
  }

  std::string value_of(const std::string& name) {
    const auto* const value = find(name);
    if (value != nullptr) return label_of(value->node);
    problem(program_.place, "program",
            fmt::format("has {{{}}}, which has no value; add `{}` to `axes` or `set`", name, name));
    return {};
  }

  void read_device() {
    const auto* const value = find("device");
    if (value == nullptr) return;
    cell_.device = config::read_device(*value, std::filesystem::current_path(), problems_);
    if (cell_.device && cell_.device->is_dry())
      cell_.device_yaml = label_of(value->node);
    else if (cell_.device)
      problem(value->place, "device",
              "a program chooses among the machine's devices itself; expected a dry one, such as {dry: "
              "h100-80gb}, or no `device`");
  }

  void read_plugins() {
    const auto* const value = find("plugins");
    if (value != nullptr) cell_.plugins = label_of(value->node);
  }

  void check_world() {
    const config::Place place = written_.place_of("world");
    if (!cell_.world.empty()) {
      const auto world = config::parse_integer(cell_.world);
      if (!world || *world < 1 || *world > kMostInWorld)
        problem(place, "world", fmt::format("expected the job's number of ranks, found '{}'", cell_.world));
      if (cell_.device_yaml.empty())
        problem(place, "world", "runs ranks of a job on dry cards; add `device: {dry: h100-80gb}`");
    } else if (!cell_.ranks.empty()) {
      problem(written_.place_of("ranks"), "ranks",
              "chooses ranks of a job; add `world`, its number of ranks");
    }
  }

  void problem(const config::Place& place, const std::string& key, std::string message) {
    problems_.push_back({place, key, std::move(message)});
  }

  const Program& program_;
  const config::Written& written_;
  std::vector<config::Problem>& problems_;
  ProgramCell cell_;
};

}  // namespace

std::set<std::string, std::less<>> Program::placeholders() const {
  std::set<std::string, std::less<>> names;
  for (const std::string& word : words) {
    replaced(word, [&](const std::string& name) {
      names.insert(name);
      return std::string();
    });
  }
  return names;
}

std::optional<Program> read_program(const config::WrittenValue& value,
                                    std::vector<config::Problem>& problems) {
  Program program{.words = {}, .place = value.place};
  bool is_valid = value.node.IsScalar() || value.node.IsSequence();
  if (value.node.IsScalar()) {
    std::istringstream words(value.node.Scalar());
    for (std::string word; words >> word;) program.words.push_back(std::move(word));
  }
  if (value.node.IsSequence()) {
    for (const YAML::Node& word : value.node) {
      if (word.IsScalar()) program.words.push_back(word.Scalar());
      is_valid = is_valid && word.IsScalar();
    }
  }
  if (is_valid && !program.words.empty()) return program;
  problems.push_back(
      {value.place, "program",
       fmt::format("expected a command, such as `torchrun train.py --batch {{batch}}` or a list "
                   "of words, found {}",
                   config::describe(value.node))});
  return std::nullopt;
}

std::string ProgramCell::yaml(const std::string& folder) const {
  YAML::Emitter out;
  const std::pair<const char*, const std::string*> options[] = {
      {"world", &world}, {"ranks", &ranks}, {"plugins", &plugins}};
  out << YAML::BeginMap << YAML::Key << "program" << YAML::Value << YAML::Flow << words;
  out << YAML::Key << "folder" << YAML::Value << folder;
  if (!device_yaml.empty())
    out << YAML::Key << "device" << YAML::Value << YAML::Flow << YAML::Load(device_yaml);
  for (const auto& [name, text] : options) {
    if (!text->empty()) out << YAML::Key << name << YAML::Value << *text;
  }
  out << YAML::EndMap;
  return std::string(out.c_str()) + '\n';
}

ProgramCell cell_of_program(const Program& program, const config::Written& written,
                            std::vector<config::Problem>& problems) {
  return CellReader(program, written, problems).read();
}

}  // namespace strata::grid
